/** The result of one check. */
export interface Finding {
  about: string
  /** A note is no obstacle. */
  state: 'good' | 'note' | 'problem'
  detail: string
  advice: string | null
}

export const good = (about: string, detail: string): Finding => ({ about, state: 'good', detail, advice: null })

export const note = (about: string, detail: string, advice: string | null = null): Finding => ({
  about,
  state: 'note',
  detail,
  advice,
})

export const problem = (about: string, detail: string, advice: string): Finding => ({
  about,
  state: 'problem',
  detail,
  advice,
})
