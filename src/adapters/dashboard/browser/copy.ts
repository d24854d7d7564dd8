/** Buttons that copy what stands in the element they name. Without script they are not shown. */
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copies]')) {
  const source = document.getElementById(button.dataset['copies'] ?? '');
  const label = button.textContent;
  button.hidden = source === null || navigator.clipboard === undefined;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(source?.textContent ?? '');
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = label;
    }, 2_000);
  });
}

/** What is shown once is gone with the page, also from the browser's memory of pages that one may go back to. */
addEventListener('pagehide', () => {
  for (const secret of document.querySelectorAll('[data-once]')) secret.textContent = '';
});
