import CourierProtocol
import Fixtures
import JSON
import Testing

@testable import SignOn

/// Responses of PingAM from the tests of its client libraries, each with its expected meaning.
@Suite("recorded journey responses")
struct JourneyFixtureTests {
  /// The expected meaning of each file, by its name.
  private static let meanings: [(name: String, meaning: String)] = {
    let text = (try? Fixtures.bytes("journey/outcomes.txt")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return text.split(separator: "\n").compactMap { line in
      guard !line.hasPrefix("#"), let colon = line.firstRange(of: ": ") else { return nil }
      return (String(line[..<colon.lowerBound]), String(line[colon.upperBound...]))
    }
  }()

  @Test("every file has a meaning and every meaning a file")
  func complete() throws {
    let files = try Fixtures.names(in: "journey").filter { $0.hasSuffix(".json") }
    #expect(files.count > 150)
    #expect(Self.meanings.map(\.name).sorted() == files.map { String($0.dropLast(5)) }.sorted())
  }

  @Test("a response has its expected meaning", arguments: meanings.map(\.name))
  func meaning(name: String) throws {
    let meaning = try #require(Self.meanings.first { $0.name == name }?.meaning)
    let summary = try Self.summary(of: name)
    #expect(summary == meaning, "\(name): \(summary)")
  }

  /// A recorded exchange, a callback that is put into a step, or a response as recorded.
  private static func summary(of name: String) throws -> String {
    let json = try Fixtures.json("journey/\(name).json")
    if let status = json["response"]?["statusCode"]?.int, let body = json["responsePayload"] {
      if name.hasPrefix("AM_Session_Logout") { return "logged out \(JourneySession.isOver(after: status))" }
      return JourneySummary.of(status, body)
    }
    if json["output"] != nil || json["input"] != nil || json["type"] != nil {
      return JourneySummary.of(200, ["authId": "a", "callbacks": .array([json])])
    }
    // If only the body was recorded, its status is in the name.
    let status = name.split(separator: "-").compactMap { Int($0) }.first { (200..<600).contains($0) }
    return JourneySummary.of(status ?? json["code"]?.int ?? 200, json)
  }
}
