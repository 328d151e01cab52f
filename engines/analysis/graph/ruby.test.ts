import { expect, test } from 'vitest'
import { linksOf, repository } from './testing/repository.ts'

test('finds required files on the usual load paths, and relative ones', async () => {
  const repo = await repository({
    'lib/rack.rb': "module Rack\n  autoload :Utils, 'rack/utils'\nend\nrequire 'rack/version'\n",
    'lib/rack/utils.rb':
      "require_relative 'mime'\nmodule Rack\n  module Utils\n    def self.escape(s)\n      s\n    end\n  end\nend\n",
    'lib/rack/mime.rb': 'module Rack\n  module Mime\n    def self.type(s)\n      s\n    end\n  end\nend\n',
    'lib/rack/version.rb': "module Rack\n  RELEASE = '3'\nend\n",
    'lib/vendored/json.rb': 'module Vendored\n  class Json\n    def run\n      1\n    end\n  end\nend\n',
    'test/spec_utils.rb': "require 'json'\nrequire_relative '../lib/rack'\nRack::Utils.escape('a')\n",
  })
  expect(linksOf(repo, 'lib/rack.rb')).toContain('lib/rack/version.rb:')
  expect(linksOf(repo, 'lib/rack/utils.rb')).toContain('lib/rack/mime.rb:')
  expect(linksOf(repo, 'test/spec_utils.rb')).toEqual(['lib/rack.rb:', 'lib/rack/utils.rb: Utils'])
})

test('loads constants by mention, as Zeitwerk does, and not the module that wraps a whole library', async () => {
  const repo = await repository({
    'app/models/user.rb': 'class User < ApplicationRecord\n  def name\n    Billing::Invoice.new.total\n  end\nend\n',
    'app/models/billing/invoice.rb': 'module Billing\n  class Invoice\n    def total\n      1\n    end\n  end\nend\n',
    'app/models/billing/receipt.rb': 'module Billing\n  class Receipt\n    def total\n      1\n    end\n  end\nend\n',
    'app/models/application_record.rb': 'class ApplicationRecord\nend\n',
    'spec/models/user_spec.rb': "describe User do\n  it('has a name') { User.new.name }\nend\n",
  })
  expect(linksOf(repo, 'app/models/user.rb')).toEqual([
    'app/models/application_record.rb: ApplicationRecord',
    'app/models/billing/invoice.rb: Invoice',
  ])
  expect(linksOf(repo, 'spec/models/user_spec.rb')).toEqual(['app/models/user.rb: User'])
})
