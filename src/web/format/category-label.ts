/** The name of a category of the marketplace for people, such as `DevOps`. */
export function categoryLabel(category: string): string {
  return category === 'devops' ? 'DevOps' : category.charAt(0).toUpperCase() + category.slice(1)
}
