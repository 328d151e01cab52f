import type { Config } from '../config.ts'

/** True where cookies must travel over HTTPS only. */
export const isSecure = ({ baseUrl }: Pick<Config, 'baseUrl'>): boolean => baseUrl.startsWith('https:')
