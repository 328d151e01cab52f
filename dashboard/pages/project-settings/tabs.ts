export const settingsTabs = [
  'general',
  'tests',
  'health',
  'runs',
  'gate',
  'selection',
  'environment',
  'code-host',
  'danger',
] as const
export type SettingsTab = (typeof settingsTabs)[number]

export const tabTexts: Record<SettingsTab, string> = {
  general: 'General',
  tests: 'Tests',
  health: 'Test health',
  runs: 'Runs and branches',
  gate: 'Gate',
  selection: 'Selection',
  environment: 'Environment',
  'code-host': 'Code host',
  danger: 'Danger',
}
