import { rules } from '../rule.ts'

export const rubyRules = [
  ...rules('rubygems', 'framework', [
    ['Ruby on Rails', 'rails railties', { imports: 'rails', configs: 'config/application.rb' }],
    ['Sinatra', 'sinatra sinatra-contrib', { imports: 'sinatra' }],
    ['Hanami', 'hanami'],
    ['Grape', 'grape'],
    ['Roda', 'roda'],
    ['Padrino', 'padrino padrino-core'],
    ['Rack', 'rack'],
    ['Active Record', 'activerecord', { imports: 'active_record' }],
    ['Sequel', 'sequel'],
    ['ROM', 'rom rom-sql'],
    ['Sidekiq', 'sidekiq'],
    ['GraphQL Ruby', 'graphql'],
    ['Hotwire', 'turbo-rails stimulus-rails', { imports: '' }],
    ['Jekyll', 'jekyll', { configs: '_config.yml' }],
    ['Bridgetown', 'bridgetown', { configs: 'bridgetown.config.yml' }],
    ['Middleman', 'middleman'],
    ['Solidus', 'solidus solidus_core'],
    ['Thor', 'thor'],
  ]),
  ...rules('rubygems', 'build', [['Rake', 'rake', { configs: 'Rakefile' }]]),
]
