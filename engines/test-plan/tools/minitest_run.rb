# Loads the test files that it is given, and runs them with minitest, which gets every other argument.
names = []
options = []
until ARGV.empty?
  word = ARGV.shift
  if %w[-n --name -s --seed -e --exclude].include?(word)
    options << word << ARGV.shift
  elsif word.start_with?("-")
    options << word
  else
    names << word
  end
end
ARGV.replace(options)

require "minitest"
plugin = File.expand_path("ruby/minitest/assay_plugin.rb", __dir__)
require plugin
# Minitest 6 loads no plugins unless it is told to.
Minitest.extensions << "assay" unless Minitest.extensions.include?("assay")

names.each do |name|
  files = File.directory?(name) ? Dir[File.join(name, "**", "{*_test,test_*}.rb")].sort : [name]
  files.each { |file| require File.expand_path(file) }
end
Minitest.autorun
