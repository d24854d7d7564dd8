/** Forms that are submitted when a choice changes; their buttons are for browsers without scripts. */
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-submits]')) {
  const button = form.querySelector<HTMLButtonElement>('button[type="submit"]');
  if (button !== null) button.hidden = true;
  for (const field of form.querySelectorAll('select, input[list]'))
    field.addEventListener('change', () => {
      // Suggestions of markets lead to another page.
      if (!(field instanceof HTMLInputElement && field.dataset['suggestions'] !== undefined))
        form.requestSubmit();
    });
}
