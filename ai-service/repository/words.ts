/** `parseURLPart` as `parse URL Part`. */
export const splitCamelCase = (name: string) =>
  name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
