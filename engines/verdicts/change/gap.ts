/** What is missing for `proved`. */
export interface Gap {
  reason: string
  text: string
}

export const gap = (reason: string, text: string): Gap => ({ reason, text })
