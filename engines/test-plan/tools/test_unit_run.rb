# Loads the test files that it is given, runs them with test-unit, and writes a JUnit report. `-n NAME` selects tests,
# `--seed NUMBER` shuffles them.
require_relative "ruby/assay_junit"

names = []
options = []
seed = nil
until ARGV.empty?
  word = ARGV.shift
  case word
  when "--seed" then seed = Integer(ARGV.shift)
  when "-n" then options << word << ARGV.shift
  else names << word
  end
end
ARGV.replace(options)

# Collects what test-unit says of its tests. Several can run at the same time.
class AssayReport
  def initialize(path)
    @path = path
    @tests = []
    @starts = {}
    # Of tests that did not end yet, and of the preparation of whole classes.
    @faults = Hash.new { |faults, name| faults[name] = [] }
  end

  def attach_to_mediator(mediator)
    mediator.add_listener(Test::Unit::TestCase::STARTED_OBJECT) { |test| @starts[test.name] = now }
    mediator.add_listener(Test::Unit::TestResult::FAULT) { |fault| @faults[fault.test_name] << fault }
    mediator.add_listener(Test::Unit::TestCase::FINISHED_OBJECT) { |test| finish(test) }
    mediator.add_listener(Test::Unit::UI::TestRunnerMediator::FINISHED) { |seconds| write(seconds) }
  end

  private

  def now
    Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end

  def finish(test)
    file, line = place_of(test)
    @tests << { classname: test.class.name, name: test.local_name, file: file, line: line,
                time: now - @starts.delete(test.name), outcome: outcome_of(@faults.delete(test.name) || []) }
  end

  def place_of(test)
    test.method(test.method_name).source_location
  rescue NameError
    nil
  end

  def outcome_of(faults)
    fault = faults.find { |one| kind_of(one) != "skipped" && kind_of(one) } || faults.find { |one| kind_of(one) }
    return if fault.nil?

    kind = kind_of(fault)
    return { kind: kind, message: fault.message } if kind == "skipped"

    type, message =
      kind == "error" ? [fault.exception.class.name, fault.exception.message] : ["Test::Unit::AssertionFailedError", fault.message]
    { kind: kind, type: type, message: message, text: "#{fault.message}\n#{Array(fault.location).join("\n")}" }
  end

  # A notification is no outcome.
  def kind_of(fault)
    case fault
    when Test::Unit::Error then "error"
    when Test::Unit::Failure then "failure"
    when Test::Unit::Omission, Test::Unit::Pending then "skipped"
    end
  end

  def write(seconds)
    outside = @faults.filter_map do |name, faults|
      outcome = outcome_of(faults)
      { classname: name, name: "outside of its tests", outcome: outcome } if outcome
    end
    AssayJunit.write(@path, "test-unit", @tests + outside, seconds)
  end
end

# Knows the classes, but runs nothing yet.
require "test-unit"
names.each do |name|
  files = File.directory?(name) ? Dir[File.join(name, "**", "{*_test,test_*}.rb")].sort : [name]
  files.each { |file| require File.expand_path(file) }
end
# Runs the tests when the process ends, unless a file already asked for that.
require "test/unit"

Test::Unit::AutoRunner.prepare do |runner|
  runner.listeners << AssayReport.new(ENV["ASSAY_JUNIT"]) if ENV["ASSAY_JUNIT"]
  if seed
    collect = Test::Unit::AutoRunner.collector(:descendant)
    runner.collector = lambda do |itself|
      # Classes that set an order of their own keep it.
      Test::Unit::TestCase.test_order = :random
      srand(seed)
      collect[itself].tap { |suite| suite.tests.shuffle! }
    end
  end
end
