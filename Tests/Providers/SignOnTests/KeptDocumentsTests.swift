import ControlAPI
import EventLoop
import JSON
import TestLoop
import Testing
import Vault

@testable import SignOn

@Suite("documents that a sign-on keeps")
struct KeptDocumentsTests {
  private static let text = Array("[\(String(repeating: "1,", count: 200_000))1]".utf8)

  @Test("documents have a maximum length together, and count as memory until the sign-on ends")
  func counting() async throws {
    try await TestLoop.run {
      let memory = MemoryBudget(owners: 256)
      let documents = KeptDocuments(memory, owner: 1)
      try documents.keep(.step, Self.text)
      try documents.keep(.page, Self.text)
      #expect(throws: SignOnFailure.tooLarge) { try documents.keep(.input, Self.text) }
      #expect(documents.document(.step)?.array?.count == 200_001)
      #expect(documents.document(.input) == nil)
      // The owner's other sign-ons have the rest of the owner's memory.
      let other = KeptDocuments(memory, owner: 1)
      for kind in [KeptDocuments.Kind.step, .page] { try other.keep(kind, Self.text) }
      let third = KeptDocuments(memory, owner: 1)
      try third.keep(.step, Self.text)
      #expect(throws: SignOnFailure.tooLarge) { try third.keep(.page, Self.text) }
      documents.close()
      try third.keep(.page, Self.text)
      try documents.keep(.step, Self.text)
      #expect(documents.document(.step) == nil)
      for documents in [other, third] { documents.close() }
      #expect(memory.changeDocuments(by: 2 << 20, of: 1))
    }
  }

  @Test("data that a sign-on keeps elsewhere counts with its documents")
  func held() async throws {
    try await TestLoop.run {
      let memory = MemoryBudget(owners: 256)
      let documents = KeptDocuments(memory, owner: 1)
      try documents.keep(.step, Self.text)
      try documents.count(.parameters, 600_000)
      #expect(throws: SignOnFailure.tooLarge) { try documents.count(.cookies, 100_000) }
      try documents.count(.parameters, 400_000)
      try documents.count(.cookies, 100_000)
      documents.close()
      try documents.count(.cookies, 100_000)
      #expect(memory.changeDocuments(by: 2 << 20, of: 1))
    }
  }

  @Test("a page is kept as shown, with everything that a server put into it")
  func page() async throws {
    try await TestLoop.run {
      let documents = KeptDocuments(MemoryBudget(owners: 256), owner: 1)
      var collector = Collector(key: "k", type: "LabelCollector", label: "a \u{1F600}")
      collector.raw = (0..<31).reduce(JSON.number(JSONNumber(1))) { nested, _ in .array([nested]) }
      let page = SignOnPage(title: "t", collectors: [collector], browserURL: "https://idp.example/")
      try documents.keep(.page, page.serialized)
      let kept = try SignOnPage(reading: #require(documents.document(.page)))
      #expect(kept.json == page.json)
    }
  }
}
