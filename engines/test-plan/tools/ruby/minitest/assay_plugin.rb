# Writes a JUnit report of everything that minitest runs.
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
      failures = @results.count { |result| result.failure && !result.error? && !result.skipped? }
      totals = { name: "minitest", tests: @results.size, failures: failures, errors: @results.count(&:error?),
                 skipped: @results.count(&:skipped?), time: format("%.6f", seconds) }
      # Under another name until it is whole: a report that breaks off must not be read.
      File.open("#{@path}.part", "w") do |file|
        file.puts '<?xml version="1.0" encoding="UTF-8"?>'
        file.puts "<testsuites><testsuite#{attributes(totals)}>"
        @results.each { |result| file.puts test_case(result) }
        file.puts "</testsuite></testsuites>"
      end
      File.rename("#{@path}.part", @path)
    end

    private

    def test_case(result)
      file, line = result.source_location if result.respond_to?(:source_location)
      file = file.delete_prefix("#{Dir.pwd}/") if file
      owner = result.respond_to?(:klass) ? result.klass : result.class.name
      opening = attributes({ classname: owner, name: result.name, file: file, line: line, time: format("%.6f", result.time) }.compact)
      return "<testcase#{opening}/>" unless result.failure

      "<testcase#{opening}>#{outcome(result)}</testcase>"
    end

    def outcome(result)
      failure = result.failure
      return "<skipped#{attributes({ message: failure.message })}/>" if result.skipped?

      kind = result.error? ? "error" : "failure"
      type = failure.respond_to?(:error) ? failure.error.class.name : failure.class.name
      trace = Minitest.filter_backtrace(failure.respond_to?(:error) ? failure.error.backtrace || [] : failure.backtrace || [])
      # The message of an error has the backtrace in it.
      message = failure.respond_to?(:error) ? failure.error.message : failure.message
      "<#{kind}#{attributes({ type: type, message: message })}>#{escaped("#{failure.message}\n#{trace.join("\n")}")}</#{kind}>"
    end

    def attributes(values)
      values.map { |name, value| " #{name}=\"#{escaped(value)}\"" }.join
    end

    def escaped(value)
      text = value.to_s.dup
      text = text.force_encoding(Encoding::UTF_8) if text.encoding == Encoding::BINARY
      text.encode(Encoding::UTF_8, invalid: :replace, undef: :replace).scrub
          .gsub(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/, "\uFFFD")
          .gsub("&", "&amp;").gsub("<", "&lt;").gsub(">", "&gt;").gsub('"', "&quot;").gsub("\n", "&#10;")
    end
  end
end
