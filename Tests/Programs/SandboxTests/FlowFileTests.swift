import EventLoop
import Glibc
import JSON
import Sandbox
import TestHTTP
import TestLoop
import Testing

/// A flow of one page, with parts that a test replaces.
private func flow(
  head: String = #""id": "f", "kind": "davinci", "start": "a""#,
  page: String = #""kind": "form", "fields": [{"type": "TEXT", "key": "x"}], "answers": [{"then": "a"}]"#
) -> String { #"{\#(head), "pages": {"a": {\#(page)}}}"# }

@Suite("flow files", .timeLimit(.minutes(30)))
struct FlowFileTests {
  /// The sandbox's error for a file, or an empty text if the file is valid.
  private func refusal(_ text: String) async throws -> String {
    let refusal = Box()
    try await Bench.withFlows(text) { directory in
      try await TestLoop.run {
        do { try SandboxServer(flows: directory).stop() } catch { refusal.text = "\(error)" }
      }
    }
    return refusal.text
  }

  @Test("a flow of one page is valid")
  func smallest() async throws { #expect(try await refusal(flow()) == "") }

  @Test(
    "an invalid file is rejected with its name, position and reason",
    arguments: [
      ("{\n  \"id\": x}", "flow.json: line 2, column 9: this is not JSON"),
      (#"{"id": "f", "id": "g"}"#, "flow.json: an object has the same name twice"),
      ("[]", "flow.json: must be an object"), ("{}", "flow.json: needs the member id"),
      (flow(head: #""id": "a b", "kind": "davinci", "start": "a""#), "flow.json: id must be"),
      (
        flow(head: #""id": "f", "kind": "flow", "start": "a""#),
        "flow.json: kind: must be one of davinci, journey"
      ),
      (flow(head: #""id": "f", "kind": "davinci", "start": "b""#), "flow.json: start: there is no page b"),
      (
        flow(head: #""id": "f", "kind": "davinci", "start": [{"then": "a", "rewind": "x"}]"#),
        "flow.json: start[0]: needs exactly one"
      ),
      (
        flow(head: #""id": "f", "kind": "davinci", "start": "a", "seconds": 0"#),
        "flow.json: seconds: must be an integer"
      ),
      (
        flow(head: #""id": "f", "kind": "davinci", "start": "a", "more": 1"#),
        "flow.json: has the unknown member more"
      ),
      (flow(page: #""kind": "page""#), "flow.json: pages.a.kind: must be one of form"),
      (flow(page: #""kind": "form""#), "flow.json: pages.a: needs the member fields"),
      (flow(page: #""kind": "branch""#), "flow.json: pages.a: needs the member answers"),
      (flow(page: #""kind": "form", "fields": [{}]"#), "flow.json: pages.a.fields[0]: needs a type"),
      (
        flow(page: #""kind": "form", "fields": [], "answers": [{"then": "c"}]"#),
        "flow.json: pages.a.answers[0].then: there is no page c"
      ),
      (
        flow(page: #""kind": "form", "fields": [], "answers": [{"when": {"isUser": "x"}, "then": "a"}]"#),
        "flow.json: pages.a.answers[0].when.isUser: is not a condition"
      ),
      (
        flow(page: #""kind": "form", "fields": [], "answers": [{"when": {"equals": ["x"]}, "then": "a"}]"#),
        "flow.json: pages.a.answers[0].when.equals: must have 2 elements"
      ),
      (
        flow(
          page: #""kind": "form", "fields": [], "answers": [{"when": {"matches": ["x", "("]}, "then": "a"}]"#
        ), "flow.json: pages.a.answers[0].when.matches[1]: is not a regular"
      ),
      (
        flow(page: #""kind": "form", "fields": [], "answers": [{"do": [{"explode": 1}], "then": "a"}]"#),
        "flow.json: pages.a.answers[0].do[0]: needs exactly one"
      ),
      (
        flow(page: #""kind": "form", "fields": [{"type": "LABEL", "content": "${flow.x}"}]"#),
        "flow.json: pages.a.fields[0].content: nothing sets the variable x"
      ),
      (
        flow(page: #""kind": "form", "fields": [{"type": "LABEL", "content": "${his.x}"}]"#),
        "flow.json: pages.a.fields[0].content: there is no subject his"
      ),
      (
        flow(page: #""kind": "form", "fields": [{"type": "LABEL", "content": "${user.age}"}]"#),
        "flow.json: pages.a.fields[0].content: user has no age"
      ),
      (
        flow(page: #""kind": "form", "fields": [{"type": "LABEL", "content": "${x"}]"#),
        "flow.json: pages.a.fields[0].content: a value is written"
      ),
      (
        flow(page: #""kind": "form", "fields": [{"type": "LABEL", "content": {"$text": {"de": "x"}}}]"#),
        "flow.json: pages.a.fields[0].content: $text needs"
      ),
      (
        #"{"id": "f", "kind": "journey", "start": "a", "pages": {"a": {"kind": "callbacks", "callbacks": [{"type": "Odd"}]}}}"#,
        "flow.json: pages.a.callbacks[0]: Odd is not a known type"
      ),
      (
        #"{"id": "f", "kind": "davinci", "start": "a", "pages": {"a": {"kind": "success"}, "b": {"kind": "success"}}}"#,
        "flow.json: pages.b: nothing leads here"
      ),
    ]
  )
  func refusals(_ text: String, _ expected: String) async throws {
    let found = try await refusal(text)
    #expect(found.hasPrefix(expected), "\(found)")
  }

  /// Names of the repository's flow files.
  private static func names() throws -> [String] {
    let directory = try #require(opendir(Bench.flows))
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasSuffix(".json") { names.append(String(name.dropLast(".json".count))) }
    }
    return names.sorted()
  }

  private static func text(of path: String) throws -> String {
    let file = try #require(fopen(path, "re"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 256 * 1024)
    return String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
  }

  @Test("every flow of the repository is named like its file and starts")
  func all() async throws {
    let names = try Self.names()
    #expect(names.count > 40)
    try await Bench.run(flow: nil) { bench in
      for name in names where name != "hostile-slow" {
        let text = try Self.text(of: "\(Bench.flows)/\(name).json")
        let json = try JSON(parsing: text)
        #expect(json["id"]?.string == name)
        if json["kind"] == "davinci" {
          let client = try FlowClient(bench, name)
          if name.hasPrefix("hostile-start") { continue }
          try await client.start()
          #expect(client.page["form"] != nil, "\(name)")
        } else {
          let client = try await JourneyClient(bench)
          let first = try await client.start(name)
          #expect(first.status == 200 && client.step["callbacks"] != nil, "\(name)")
        }
      }
    }
  }

  @Test("the article on flow files contains every word of the format")
  func article() async throws {
    let article = try Self.text(
      of: Bench.flows.dropLast("Sandbox/Flows".count) + "Daemon/Documentation.docc/FlowFiles.md"
    )
    let bends = [
      flow(page: #""kind": "?""#),
      flow(page: #""kind": "form", "fields": [], "answers": [{}]"#),
      flow(page: #""kind": "form", "fields": [], "challenge": [{}]"#),
      flow(page: #""kind": "form", "fields": [], "answers": [{"when": {"?": 1}, "then": "a"}]"#),
      flow(page: #""kind": "form", "fields": [], "answers": [{"do": [{"?": 1}], "then": "a"}]"#),
      flow(page: #""kind": "form", "fields": [{"type": "${?.x}"}]"#),
      flow(page: #""kind": "form", "fields": [{"type": "${user.?}"}]"#),
      #"{"id": "f", "kind": "journey", "start": "a", "pages": {"a": {"kind": "?"}}}"#,
      #"{"id": "f", "kind": "journey", "start": [{}], "pages": {}}"#,
    ]
    var count = 0
    for bend in bends {
      let told = try await refusal(bend)
      // Each error ends with the allowed words, separated by commas.
      let list = told.split(separator: ", ").map { $0.split(separator: " ").last.map(String.init) ?? "" }
      for word in list {
        let forms = ["`\(word)`", "${\(word).", ".\(word)}`"]
        #expect(forms.contains { article.contains($0) }, "\(word)")
        count += 1
      }
    }
    #expect(count > 50)
  }
}

/// A value that a test passes out of the event loop.
private final class Box: @unchecked Sendable { var text = "" }
