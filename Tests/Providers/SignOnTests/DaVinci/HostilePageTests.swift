import ControlAPI
import JSON
import Testing
import WebAddress

@testable import SignOn

@Suite("hostile DaVinci pages")
struct HostilePageTests {
  private static func read(_ fields: [JSON], values: JSON = [:]) throws -> DaVinciPage {
    var document = page(fields: fields).object ?? [:]
    document["formData"] = ["value": values]
    let origin = try #require(WebURL("https://auth.example/")).origin
    return try DaVinciPage(.object(document), origin: origin)
  }

  private static func label(_ content: String, _ replacement: JSON) -> JSON {
    [
      "type": "LABEL", "content": "x",
      "richContent": ["content": .string(content), "replacements": ["a": replacement]],
    ]
  }

  @Test("text that expands beyond a page's limit ends the sign-on, also over several fields")
  func growing() throws {
    let long: JSON = ["value": .string(String(repeating: "x", count: 1024))]
    let fits = String(repeating: "{{a}}", count: 255)
    let shown = try Self.read([Self.label(fits, long)]).shown.collectors
    #expect(shown.first?.value?.string?.count == 400)
    #expect(throws: SignOnFailure.tooLarge) { try Self.read([Self.label(fits + "{{a}}{{a}}", long)]) }
    let part = String(repeating: "{{a}}", count: 64)
    #expect(throws: SignOnFailure.tooLarge) {
      try Self.read(Array(repeating: Self.label(part, long), count: 5))
    }
    // Expands to a billion times the limit. The test would not end if the page were expanded.
    let huge: JSON = ["value": .string(String(repeating: "x", count: 100_000))]
    let many = String(repeating: "{{a}}", count: 20_000)
    #expect(throws: SignOnFailure.tooLarge) { try Self.read([Self.label(many, huge)]) }
  }

  @Test("many preselected options are processed in linear time")
  func choices() throws {
    let names = (0..<512).map { "o\($0)" }
    let options = JSON.array(names.map { ["value": .string($0), "label": .string($0)] })
    let kinds = ["MULTI_SELECT", "SINGLE_SELECT"]
    let fields: [JSON] = kinds.map {
      ["type": "CHECKBOX", "inputType": .string($0), "key": .string($0), "options": options]
    }
    let chosen = JSON.strings(names + ["no option"])
    let page = try Self.read(fields, values: ["MULTI_SELECT": chosen, "SINGLE_SELECT": "o511"])
    let data = try page.formData([:])
    #expect(data["MULTI_SELECT"] == .strings(names) && data["SINGLE_SELECT"] == "o511")
    #expect(page.shown.collectors.map(\.options.count) == [512, 512])
  }

  @Test("the fields of a page have at most 4096 options")
  func options() throws {
    let options = JSON.array((0..<512).map { ["value": .string("o\($0)")] })
    let fields: [JSON] = (0..<8).map {
      ["type": "DROPDOWN", "inputType": "SINGLE_SELECT", "key": .string("k\($0)"), "options": options]
    }
    #expect(try Self.read(fields).shown.collectors.map(\.options.count) == Array(repeating: 512, count: 8))
    let last: JSON = ["type": "DROPDOWN", "key": "one", "options": [["value": "o"]]]
    #expect(throws: SignOnFailure.tooLarge) { try Self.read(fields + [last]) }
  }
}
