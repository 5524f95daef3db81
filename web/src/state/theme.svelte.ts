/** Light or dark: as the system has it until the reader turns it. */

class Theme {
  dark = $state(false);

  listen(): void {
    const wished = matchMedia('(prefers-color-scheme: dark)');
    this.#turnTo(wished.matches);
    wished.addEventListener('change', ({ matches }) => this.#turnTo(matches));
  }

  turn(): void {
    this.#turnTo(!this.dark);
  }

  #turnTo(dark: boolean): void {
    this.dark = dark;
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  }
}

export const theme = new Theme();
