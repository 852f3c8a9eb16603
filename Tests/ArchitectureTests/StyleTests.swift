import ControlAPI
import Testing

@Suite("Style")
struct StyleTests {
  private static let sources = Repository.sources
  private static let longest = 300
  /// Fakes and scenarios of the core tests that may be longer.
  private static let longer: Set = ["TestPlatform.swift", "PairingScenario.swift", "PushScenario.swift"]

  @Test("no file has more than 300 lines")
  func length() throws {
    for file in try Self.sources.get() + Repository.tests.get() {
      let name = file.path.split(separator: "/").last.map(String.init) ?? ""
      guard !Self.longer.contains(name) else { continue }
      #expect(file.lines.count <= Self.longest, "\(file.path)")
    }
  }

  @Test("no two modules declare a type of the same name")
  func typeNames() throws {
    let declarations =
      #/^(?:@\w+(?:\([^)]*\))? )*(?:public )?(?:final |indirect )?(?:struct|class|enum|protocol|actor) (\w+)/#
    var modules: [Substring: Set<String>] = [:]
    for file in try Self.sources.get() {
      for line in file.lines {
        guard let declaration = try declarations.prefixMatch(in: line) else { continue }
        modules[declaration.1, default: []].insert(file.module)
      }
    }
    // Every program has a type Main.
    modules["Main"] = nil
    #expect(modules.count > 500)
    for (name, modules) in modules { #expect(modules.count == 1, "\(name): \(modules.sorted())") }
  }

  @Test("no source ends the process with try!, fatalError or as!")
  func endings() throws {
    for file in try Self.sources.get() {
      let places = file.places(holding: [
        "try!", "fatalError(", "assertionFailure(", " as!", "unowned(unsafe)",
      ])
      #expect(places.isEmpty, "\(places)")
    }
  }

  @Test("no source reads CommandLine.arguments")
  func arguments() throws {
    for file in try Self.sources.get() {
      let places = file.places(holding: ["CommandLine.arguments", "CommandLine.unsafeArgv"])
      #expect(places.isEmpty, "\(places)")
    }
  }

  @Test("unchecked Sendable and unsafe casts have a Safety comment")
  func safety() throws {
    for file in try Self.sources.get() {
      #expect(file.places(holding: ["nonisolated(unsafe)"]).isEmpty, "\(file.path)")
      let unchecked = file.places(holding: ["@unchecked Sendable", "unsafeBitCast"])
      guard !unchecked.isEmpty else { continue }
      #expect(file.lines.contains { $0.contains("// Safety:") }, "\(unchecked)")
    }
  }

  @Test("no source outside EventLoop uses Swift's default executor")
  func executor() throws {
    let needles = [
      "Task {", "Task(", "Task.sleep", "Task.detached", "Task.yield", "withTaskGroup",
      "withThrowingTaskGroup",
      "withDiscardingTaskGroup", "async let", "DispatchQueue", "import Dispatch", "AsyncStream", "Thread(",
    ]
    for file in try Self.sources.get() where file.module != "EventLoop" {
      let places = file.places(holding: needles)
      #expect(places.isEmpty, "\(places)")
    }
  }

  @Test("only the Time module reads clocks, and the core gets time injected")
  func clocks() throws {
    let readers = [
      "clock_gettime", "gettimeofday", "time(nil)", "ContinuousClock", "SuspendingClock", "Date(", "Date.now",
    ]
    for file in try Self.sources.get() where file.module != "Time" {
      // systemd requires the reload time of a clock that no other code uses.
      guard !file.path.hasSuffix("ServiceManager.swift") else { continue }
      let places = file.places(holding: readers)
      #expect(places.isEmpty, "\(places)")
    }
    let deciding: Set<String> = [
      "Accounts", "Approvals", "ControlAPI", "JOSE", "PingOne", "SignOn", "Vault",
    ]
    for file in try Self.sources.get() where deciding.contains(file.module) {
      let places = file.places(holding: ["TimeSource.system"])
      #expect(places.isEmpty, "\(places)")
    }
  }

  @Test("a doc comment says more than the name of its declaration")
  func documented() throws {
    let declarations = #/\b(?:let|var|func|case|struct|class|enum|protocol|typealias) (\w+)/#
    for file in try Self.sources.get() {
      for (index, line) in file.lines.enumerated() where line.drop(while: { $0 == " " }).hasPrefix("/// ") {
        let (before, after) = (file.lines.prefix(index).last ?? "", file.lines.dropFirst(index + 1))
        guard !before.contains("///"), let declaration = after.first(where: { !$0.contains("  @") }),
          let name = try declarations.firstMatch(in: declaration)?.1
        else { continue }
        let named = Self.words(name)
        let isMore = Self.words(line[...]).contains { word in
          !Self.articles.contains(word) && !named.contains { $0.hasPrefix(word.prefix(4)) }
        }
        #expect(isMore, "\(file.path):\(index + 1): \(line)")
      }
    }
  }

  private static let articles: Set = ["a", "an", "the", "of", "its", "is", "this", "for", "to", "and"]

  /// The words of a sentence or of a name in camel case, in lower case.
  private static func words(_ text: Substring) -> [String] {
    text.reduce(into: "") { $0 += $1.isUppercase ? " \($1)" : "\($1)" }.lowercased()
      .split { !$0.isLetter && !$0.isNumber }.map(String.init)
  }

  @Test("no declaration is package or open, so that the optimizer can inline it")
  func access() throws {
    for file in try Self.sources.get() {
      let words = file.lines.compactMap { $0.split(separator: " ").first }
      #expect(!words.contains("package") && !words.contains("open"), "\(file.path)")
    }
  }

  @Test("no test is skipped or expected to fail")
  func skips() throws {
    for file in try Repository.tests.get() where !file.path.hasSuffix("StyleTests.swift") {
      let places = file.places(holding: [".disabled(", "withKnownIssue", "XCTSkip"])
      #expect(places.isEmpty, "\(places)")
    }
  }

  @Test("code outside test targets does not import Testing or use @testable")
  func testing() throws {
    let folders = ["Tests/Support/", "Tests/Fixtures/", "Tests/Simulation/", "Tests/Tools/"]
    let files = try Self.sources.get() + Repository.tests.get()
    for file in files where file.path.hasPrefix("Sources/") || folders.contains(where: file.path.hasPrefix) {
      let places = file.places(holding: ["import Testing", "@testable"])
      #expect(places.isEmpty, "\(places)")
    }
  }

  @Test("the method table is sorted by name")
  func methods() {
    let names = MethodTable.all.map { $0.name }
    #expect(names.count > 50)
    #expect(names == names.sorted())
  }
}
