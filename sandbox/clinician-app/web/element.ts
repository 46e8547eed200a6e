type Child = Node | string;

/** Builds an element. What it says is always text: nothing that came over the network is read as markup. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

/** The element of the page that must be there. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found;
}

export function button(words: string, onPress: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button' }, words);
  made.addEventListener('click', onPress);
  return made;
}

/** A button that shows and hides something. Its words stay the same; the state is told beside them. */
export function toggleOf(
  id: string,
  words: string,
  shown: HTMLElement,
  onChange: (isOpen: boolean) => void,
): HTMLButtonElement {
  const made = button(words, () => {
    shown.hidden = !shown.hidden;
    made.setAttribute('aria-expanded', String(!shown.hidden));
    onChange(!shown.hidden);
  });
  made.id = id;
  made.classList.add('toggle');
  made.setAttribute('aria-expanded', 'false');
  made.setAttribute('aria-controls', shown.id);
  return made;
}
