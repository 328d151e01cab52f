import type { Config } from '../config.ts'

/** What knows the address that users open. */
export interface Site {
  config: Pick<Config, 'baseUrl'>
}

const page =
  (folder: string) =>
  ({ config }: Site, { id, projectId }: { id: string; projectId: string }): string =>
    `${config.baseUrl}/projects/${projectId}/${folder}/${id}`

export const projectUrl = ({ config }: Site, projectId: string): string => `${config.baseUrl}/projects/${projectId}`

export const runUrl = page('runs')
export const testUrl = page('tests')
export const verificationUrl = page('verifications')
export const changeUrl = page('changes')
export const gateUrl = page('gates')
export const measurementUrl = page('strength')
export const generatedTestUrl = page('generated-tests')

/** Returns the page that lists the verifications of tests. */
export const verificationsUrl = (site: Site, projectId: string): string =>
  `${projectUrl(site, projectId)}/verifications`

/** Returns the page with the code that an analysis ranked. */
export const candidatesUrl = (site: Site, projectId: string): string => `${projectUrl(site, projectId)}/suggestions`

export const suggestionsUrl = (site: Site, projectId: string): string =>
  `${candidatesUrl(site, projectId)}?tab=suggestions`

/** Returns the page of suggestions, with this one open. */
export const suggestionUrl = (site: Site, { id, projectId }: { id: string; projectId: string }): string =>
  `${suggestionsUrl(site, projectId)}&open=${id}`
