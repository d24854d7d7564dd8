/** Buttons that copy the text of the element they name. Without scripts they stay hidden. */
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

/** Clears secrets when the page is left, so that the browser's back/forward cache does not keep them. */
addEventListener('pagehide', () => {
  for (const secret of document.querySelectorAll('[data-once]')) secret.textContent = '';
});
