export const settingsTabs = ['general', 'tests', 'runs', 'environment', 'code-host', 'danger'] as const
export type SettingsTab = (typeof settingsTabs)[number]

export const tabTexts: Record<SettingsTab, string> = {
  general: 'General',
  tests: 'Tests',
  runs: 'Runs and branches',
  environment: 'Environment',
  'code-host': 'Code host',
  danger: 'Danger',
}
