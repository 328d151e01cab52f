# Measures which lines and branches run, with the library of Ruby itself, and writes LCOV when the process ends. Ruby
# has one measurement for each process, so this one ends when the project starts its own, such as that of SimpleCov.
begin
  require 'coverage'

  module AssayCoverage
    TESTS = %r{(?:\A|/)(?:test|tests|spec|features|vendor)/}

    # What a project calls. Without a measurement of its own, none seems to run.
    module Yielding
      def start(*arguments)
        AssayCoverage.yield_to_project
        super
      end

      def setup(*arguments)
        AssayCoverage.yield_to_project
        super
      end

      def running?
        !AssayCoverage.measures? && super
      end
    end

    def self.start
      Coverage.start(lines: true, branches: true)
      @measures = true
      Coverage.singleton_class.prepend(Yielding)
      at_exit { write }
    end

    def self.measures?
      @measures
    end

    def self.yield_to_project
      return unless @measures

      @measures = false
      Coverage.result
      warn '# No coverage: the tests use Coverage themselves.'
    end

    def self.write
      return unless @measures

      root = File.realpath(ENV.fetch('ASSAY_ROOT'))
      report = Coverage.peek_result.filter_map do |path, measured|
        own = path.delete_prefix("#{root}/")
        section(path, measured) unless own == path || own.match?(TESTS)
      end
      return if report.empty?

      File.write(File.join(ENV.fetch('ASSAY_COVERAGE'), "ruby-#{Process.pid}.info"), report.join)
    rescue StandardError => problem
      warn "# No coverage: #{problem.message}"
    end

    def self.section(path, measured)
      lines = measured[:lines].each_with_index.filter_map { |count, at| "DA:#{at + 1},#{count}" if count }
      branches = measured[:branches].each_with_index.flat_map do |((_, _, line), taken), block|
        taken.values.each_with_index.map { |count, at| "BRDA:#{line},#{block},#{at},#{count}" }
      end
      "#{["TN:", "SF:#{path}", *branches, *lines, 'end_of_record'].join("\n")}\n"
    end
  end

  AssayCoverage.start
rescue LoadError, StandardError => problem
  warn "# No coverage: #{problem.message}"
end
