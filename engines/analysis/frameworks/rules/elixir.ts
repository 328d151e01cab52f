import { rules } from '../rule.ts'

export const elixirRules = [
  ...rules('hex', 'framework', [
    ['Phoenix', 'phoenix', { imports: 'Phoenix' }],
    ['Phoenix LiveView', 'phoenix_live_view', { imports: 'Phoenix.LiveView' }],
    ['Ecto', 'ecto ecto_sql', { imports: 'Ecto' }],
    ['Absinthe', 'absinthe', { imports: 'Absinthe' }],
    ['Ash', 'ash', { imports: 'Ash' }],
    ['Nerves', 'nerves', { imports: 'Nerves' }],
  ]),
]
