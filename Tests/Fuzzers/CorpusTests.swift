import FoundationEssentials
import TestLoop
import Testing

@Suite("Corpora of the fuzzers", .timeLimit(.minutes(5)))
struct CorpusTests {
  private static let folder = String("\(#filePath)".dropLast("CorpusTests.swift".count)) + "Corpora/"

  private static func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  @Test("every fuzzer has a corpus, and every corpus a fuzzer")
  func corpora() throws {
    let names = FuzzTarget.all.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(try Self.names(in: Self.folder) == names.sorted())
  }

  @Test("what was found once, and what is well formed, is read without harm", arguments: FuzzTarget.all)
  func replays(_ target: FuzzTarget) async throws {
    let folder = Self.folder + target.name + "/"
    let names = try Self.names(in: folder)
    #expect(!names.isEmpty)
    for name in names {
      let bytes = Array(try #require(FileManager.default.contents(atPath: folder + name)))
      try await TestLoop.run { try? await target.read(bytes) }
    }
  }
}

extension FuzzTarget: CustomTestStringConvertible {
  var testDescription: String { name }
}
