/** Buttons that copy what stands in the element they name. They are in the page for those who have script only. */
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copies]')) {
  const source = document.getElementById(button.dataset['copies'] ?? '');
  const words = button.textContent;
  button.hidden = source === null || navigator.clipboard === undefined;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(source?.textContent ?? '');
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = words;
    }, 2_000);
  });
}
