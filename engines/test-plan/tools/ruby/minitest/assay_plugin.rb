require_relative "../assay_junit"

# Reports everything that minitest runs.
module Minitest
  def self.plugin_assay_init(_options)
    reporter << AssayReporter.new(ENV["ASSAY_JUNIT"]) if ENV["ASSAY_JUNIT"]
  end

  class AssayReporter < AbstractReporter
    def initialize(path)
      super()
      @path = path
      @results = []
    end

    def start
      @started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end

    def record(result)
      @results << result
    end

    def report
      seconds = Process.clock_gettime(Process::CLOCK_MONOTONIC) - (@started || 0)
      AssayJunit.write(@path, "minitest", @results.map { |result| test_of(result) }, seconds)
    end

    private

    def test_of(result)
      file, line = result.source_location if result.respond_to?(:source_location)
      owner = result.respond_to?(:klass) ? result.klass : result.class.name
      outcome = result.failure && outcome_of(result)
      { classname: owner, name: result.name, file: file, line: line, time: result.time, outcome: outcome }
    end

    def outcome_of(result)
      failure = result.failure
      return { kind: "skipped", message: failure.message } if result.skipped?

      type = failure.respond_to?(:error) ? failure.error.class.name : failure.class.name
      trace = Minitest.filter_backtrace(failure.respond_to?(:error) ? failure.error.backtrace || [] : failure.backtrace || [])
      # The message of an error has the backtrace in it.
      message = failure.respond_to?(:error) ? failure.error.message : failure.message
      { kind: result.error? ? "error" : "failure", type: type, message: message,
        text: "#{failure.message}\n#{trace.join("\n")}" }
    end
  end
end
