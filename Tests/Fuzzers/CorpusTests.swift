import Fixtures
import FoundationEssentials
import Glibc
import TestLoop
import Testing

@Suite("Corpora of the fuzzers", .timeLimit(.minutes(30)))
struct CorpusTests {
  private static let folder = String("\(#filePath)".dropLast("CorpusTests.swift".count)) + "Corpora/"
  /// Factor for the time limit of a case in a debug build.
  private static let slowness = 20
  /// Number of mutations of each input.
  private static let mutations = Seeds.scaled(100)

  private static func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  /// Returns the inputs of a reader with their names.
  private static func inputs(of target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
    let folder = Self.folder + target.name + "/"
    return try names(in: folder).map { name in
      (name, Array(try #require(FileManager.default.contents(atPath: folder + name))))
    }
  }

  @Test("every fuzzer has a corpus, and every corpus a fuzzer")
  func corpora() throws {
    let names = FuzzTarget.all.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(try Self.names(in: Self.folder) == names.sorted())
  }

  @Test("parsers survive former findings and well-formed inputs", arguments: FuzzTarget.all)
  func replays(_ target: FuzzTarget) async throws {
    let inputs = try Self.inputs(of: target)
    #expect(!inputs.isEmpty)
    for input in inputs { try await TestLoop.run { try? await target.read(input.bytes) } }
  }

  @Test("mutated corpus inputs take little time and memory")
  func mutations() async {
    // A separate process, so that no other test uses the thread with measured time and memory.
    await #expect(processExitsWith: .success) {
      let greedy = FuzzTarget("greedy") { _ in
        withExtendedLifetime([UInt8](repeating: 1, count: 16 << 20)) {}
      }
      let memory = try await TestLoop.run { await FuzzCase.finding(in: [], of: greedy, memory: .ofProcess()) }
      #expect(memory != nil, "what is looked for is found")
      for target in FuzzTarget.all { try await Self.play(target) }
    }
  }

  private static func play(_ target: FuzzTarget) async throws {
    // After a crash, the last name in the output is the failing target.
    let name = Array("\(target.name) ".utf8)
    _ = write(STDERR_FILENO, name, name.count)
    let inputs = try inputs(of: target)
    for input in inputs {
      for seed in 0...mutations {
        var mutation = Mutation(seed: UInt64(seed), maximumLength: target.maximumLength)
        let bytes = seed == 0 ? input.bytes : mutation.applied(to: input.bytes, splicing: inputs.map(\.bytes))
        let finding = try await TestLoop.run {
          await FuzzCase.finding(in: bytes, of: target, slowness: slowness, memory: .ofProcess())
        }
        #expect(finding == nil, "\(target.name), \(input.name), seed \(seed)")
      }
    }
  }
}

extension FuzzTarget: CustomTestStringConvertible {
  var testDescription: String { name }
}
