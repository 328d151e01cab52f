import type { Config } from '../config.ts'

/** Returns whether cookies must be sent only over HTTPS. */
export const isSecure = ({ baseUrl }: Pick<Config, 'baseUrl'>): boolean => baseUrl.startsWith('https:')
