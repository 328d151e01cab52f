# Measures which lines and branches run, with the library of Ruby itself, and writes LCOV when the process ends. Projects
# with SimpleCov do not load it, because both would start the same measurement.
begin
  require 'coverage'

  module AssayCoverage
    TESTS = %r{(?:\A|/)(?:test|tests|spec|features|vendor)/}

    def self.start
      Coverage.start(lines: true, branches: true)
      at_exit { write }
    end

    def self.write
      return unless Coverage.running?

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
