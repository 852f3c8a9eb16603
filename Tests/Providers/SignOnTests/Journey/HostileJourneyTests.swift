import ControlAPI
import CourierProtocol
import JSON
import Testing

@testable import SignOn

@Suite("hostile journeys")
struct HostileJourneyTests {
  private static func failure(_ body: String) -> SignOnFailure? {
    do {
      guard
        case .step(let document) = try JourneyResponse(
          CourierResponse(status: 200, headers: [], body: Array(body.utf8))
        )
      else { return nil }
      _ = try JourneyStep(document, JourneyContext())
      return nil
    } catch { return error as? SignOnFailure }
  }

  @Test("an invalid or truncated step ends the journey with its cause")
  func broken() {
    let whole =
      #"{"authId":"a","callbacks":[{"type":"NameCallback","input":[{"name":"IDToken1","value":""}]}]}"#
    #expect(Self.failure(whole) == nil)
    for length in 0..<whole.utf8.count { #expect(Self.failure(String(whole.prefix(length))) == .notJSON) }
    let bodies = [
      "{}", #"{"callbacks":[]}"#, #"{"authId":"a"}"#, #"{"authId":"","callbacks":[]}"#,
      #"{"authId":5,"callbacks":[]}"#, #"{"authId":null,"tokenId":"t"}"#, #"{"authId":"a","callbacks":{}}"#,
      #"{"authId":"a","callbacks":["x"]}"#, #"{"tokenId":5,"successUrl":"/"}"#, #"{"tokenId":""}"#,
    ]
    for body in bodies { #expect(Self.failure(body) == .malformed, "\(body)") }
    #expect(Self.failure(#"{"authId":"a","authId":"b","callbacks":[]}"#) == .notJSON)
  }

  @Test("an oversized step ends the journey before it is parsed")
  func tooMuch() {
    let many = Array(repeating: "{}", count: 10_000).joined(separator: ",")
    #expect(Self.failure(#"{"authId":"a","callbacks":[\#(many)]}"#) == .tooLarge)
    let inputs = Array(repeating: #"{"name":"a"}"#, count: 100).joined(separator: ",")
    #expect(Self.failure(#"{"authId":"a","callbacks":[{"input":[\#(inputs)]}]}"#) == .tooLarge)
    let text = String(repeating: "x", count: 300_000)
    #expect(Self.failure(#"{"authId":"\#(text)","callbacks":[]}"#) == .tooLarge)
  }

  @Test("the callbacks of a step have at most 4096 options")
  func options() {
    let labels = Array(repeating: #""x""#, count: 256).joined(separator: ",")
    let choice =
      #"{"type":"ChoiceCallback","input":[{"name":"IDToken1","value":0}],"#
      + #""output":[{"name":"choices","value":[\#(labels)]}]}"#
    func step(_ count: Int) -> String {
      #"{"authId":"a","callbacks":[\#(Array(repeating: choice, count: count).joined(separator: ","))]}"#
    }
    #expect(Self.failure(step(16)) == nil)
    #expect(Self.failure(step(17)) == .tooLarge)
  }

  @Test("a callback with thousands of members is truncated in bounded time")
  func manyParts() throws {
    let members = (0..<5000).map { #""m\#($0)":0,"# }.joined()
    let callbacks = ["MetadataCallback", "Other"].map { type in
      #"{"type":"\#(type)","output":[{"name":"data","value":{\#(members)"z":0}}],"#
        + #"\#(members)"z":0}"#
    }
    let document = try JSON(parsing: #"{"authId":"a","callbacks":[\#(callbacks.joined(separator: ","))]}"#)
    let step = try JourneyStep(document, JourneyContext())
    let raw = step.page(nil).collectors.map { $0.raw?.object?.members.count ?? 0 }
    #expect(raw == [63, 63], "the data are too long, and only the first members are looked at")
  }

  @Test("callbacks of every type survive values of every wrong type")
  func wrongTypes() throws {
    let odd: [JSON] = [
      .null, true, -1, .number(JSONNumber(1e300)), .string(String(repeating: "é\u{202E}\n", count: 600)), [],
      [[]], [["x"]], [5],
      [:], ["policies": [["policyRequirements": 5, "params": []]]], ["a": ["b": ["c": .null]]],
    ]
    let names = [
      "prompt", "defaultText", "choices", "defaultChoice", "options", "optionType", "defaultOption",
      "messageType", "message", "name", "required", "policies", "failedPolicies", "validateOnly", "value",
      "predefinedQuestions", "allowUserDefinedQuestions", "version", "terms", "displayName", "isRequired",
      "id",
      "waitTime", "data", "metadata", "location", "providers", "provider", "redirectUrl", "redirectMethod",
      "echoOn", "challenge", "userId", "username", "title", "subtitle", "description", "timeout",
      "attestation", "authenticationType",
    ]
    for type in CallbackTable.all.keys.sorted() + ["", "Other", String(repeating: "T", count: 9000)] {
      for value in odd {
        let output = names.map { ["name": .string($0), "value": value] as JSON }
        let shapes: [JSON] = [
          [
            "type": .string(type), "output": .array(output), "input": [["name": "IDToken1", "value": value]],
          ],
          ["type": .string(type), "output": .array(output), "input": value],
          ["type": .string(type), "output": value, "input": [["name": value, "value": ""], value]],
        ]
        for callback in shapes { try Self.check(callback) }
      }
    }
  }

  /// Checks that a step of one callback either fails or can be shown within the limits and be answered.
  private static func check(_ callback: JSON) throws {
    let document: JSON = ["authId": "a", "callbacks": [callback]]
    let step: JourneyStep
    do { step = try JourneyStep(document, JourneyContext()) } catch {
      #expect([.malformed, .tooLarge].contains(error) || error.cause == "UNSUPPORTED")
      return
    }
    let page = step.page(nil)
    for collector in page.collectors {
      #expect((1...256).contains(collector.key.unicodeScalars.count))
      #expect((1...256).contains(collector.type.unicodeScalars.count))
      #expect(collector.label.map { $0.unicodeScalars.count <= 1600 } ?? true)
      #expect(collector.message.map { $0.unicodeScalars.count <= 1600 } ?? true)
      #expect(collector.options.allSatisfy { $0.label.unicodeScalars.count <= 800 })
      #expect(collector.raw.map { $0.serialized.count <= 8192 } ?? true)
      let texts = [collector.key, collector.type, collector.label, collector.message].compactMap { $0 }
      #expect(texts.allSatisfy { !$0.unicodeScalars.contains("\u{202E}") })
    }
    #expect(Set(page.collectors.map(\.key)).count == page.collectors.count)
    if case .body(let body) = try step.reply([:]) {
      #expect(body["authId"] == "a" && (body["callbacks"]?.array?.count ?? 9) <= 1)
    }
  }

  @Test("headings are truncated and cleaned")
  func headings() throws {
    let text = JSON.string(String(repeating: "a\u{202E}\nb", count: 9000))
    let step = try JourneyStep(
      ["authId": "a", "callbacks": [], "header": text, "description": text, "stage": text],
      JourneyContext()
    )
    let page = step.page(nil)
    for (shown, most) in [(page.title, 800), (page.description, 1600), (page.stage, 8192)] {
      let shown = try #require(shown)
      #expect(shown.unicodeScalars.count <= most && shown.hasPrefix("a ba b") && !shown.contains("\u{202E}"))
    }
    let bare = try JourneyStep(["authId": "a", "callbacks": [], "header": 5, "stage": []], JourneyContext())
    #expect(bare.page(nil).title == nil && bare.page(nil).stage == nil)
  }
}
