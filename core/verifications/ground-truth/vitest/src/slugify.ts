/** A title as part of an address. */
export function slugify(title: string, maxLength = 40): string {
  const plain = title.normalize('NFKD').replace(/\p{Mark}/gu, '')
  const words = plain.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return words.slice(0, maxLength).replace(/^-+|-+$/g, '')
}
