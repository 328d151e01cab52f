# Writes a JUnit report. A test is a hash of its attributes, with `outcome: { kind:, type:, message:, text: }` if it did
# not pass.
module AssayJunit
  def self.write(path, name, tests, seconds)
    count = ->(kind) { tests.count { |test| test.dig(:outcome, :kind) == kind } }
    totals = { name: name, tests: tests.size, failures: count["failure"], errors: count["error"],
               skipped: count["skipped"], time: format("%.6f", seconds) }
    # Under another name until it is whole: a report that breaks off must not be read.
    File.open("#{path}.part", "w") do |file|
      file.puts '<?xml version="1.0" encoding="UTF-8"?>'
      file.puts "<testsuites><testsuite#{attributes(totals)}>"
      tests.each { |test| file.puts test_case(**test) }
      file.puts "</testsuite></testsuites>"
    end
    File.rename("#{path}.part", path)
  end

  def self.test_case(outcome: nil, file: nil, time: 0, **test)
    shown = { **test, file: file&.delete_prefix("#{Dir.pwd}/"), time: format("%.6f", time) }.compact
    return "<testcase#{attributes(shown)}/>" unless outcome

    kind = outcome[:kind]
    opening = "<#{kind}#{attributes(outcome.slice(:type, :message).compact)}"
    content = outcome[:text] ? "#{opening}>#{escaped(outcome[:text])}</#{kind}>" : "#{opening}/>"
    "<testcase#{attributes(shown)}>#{content}</testcase>"
  end

  def self.attributes(values)
    values.map { |name, value| " #{name}=\"#{escaped(value)}\"" }.join
  end

  def self.escaped(value)
    text = value.to_s.dup
    text = text.force_encoding(Encoding::UTF_8) if text.encoding == Encoding::BINARY
    text.encode(Encoding::UTF_8, invalid: :replace, undef: :replace).scrub
        .gsub(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/, "\uFFFD")
        .gsub("&", "&amp;").gsub("<", "&lt;").gsub(">", "&gt;").gsub('"', "&quot;").gsub("\n", "&#10;")
  end
end
