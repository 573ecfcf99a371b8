/** A camelCase name in kebab-case: `itemId` becomes `item-id`. */
export function kebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
