import Testing

/// The layers from the bottom up, one folder each; modules import only from their own or lower layers.
private enum House {
  static let storeys = ["C", "Base", "System", "Formats", "Interface", "Core", "Providers", "Programs"]
  /// Modules of the toolchain.
  static let toolchain: Set<String> = ["Glibc", "Synchronization"]

  /// Returns the index of a layer, or nil if the folder is not a layer.
  static func height(of storey: String) -> Int? { storeys.firstIndex(of: storey) }
}

@Suite("Architecture layers")
struct HouseTests {
  /// Returns the imports of each module.
  private static func imports() throws -> [String: Set<String>] {
    var imports: [String: Set<String>] = [:]
    for file in try Repository.sources.get() {
      imports[file.module, default: []].formUnion(file.imports)
    }
    return imports
  }

  /// Returns the layer of each module.
  private static func storeys() throws -> [String: String] {
    let folders = try Repository.folders(in: "Sources", depth: 2).map { $0.split(separator: "/") }
    return Dictionary(uniqueKeysWithValues: folders.map { (String($0[1]), String($0[0])) })
  }

  @Test("every folder of sources and tests is a layer or a listed exception")
  func places() throws {
    #expect(Set(try Repository.folders(in: "Sources", depth: 1)) == Set(House.storeys))
    let others: Set = [
      "ArchitectureTests", "Benchmarks", "EndToEndTests", "Fixtures", "Fuzzers", "HostileTests", "Simulation",
      "Support", "Tools",
    ]
    let tested = Set(try Repository.folders(in: "Tests", depth: 1)).subtracting(others)
    #expect(tested.isSubset(of: House.storeys))
    for folder in try Repository.folders(in: "Tests", depth: 2) where folder.hasSuffix("Tests") {
      let parts = folder.split(separator: "/").map(String.init)
      guard House.height(of: parts[0]) != nil else { continue }
      let tested = String(parts[1].dropLast("Tests".count))
      let module = tested == "Authctl" ? "AuthctlCommands" : tested
      #expect(try Self.storeys()[module] == parts[0], "\(folder)")
    }
  }

  @Test("modules import only modules of their own or lower layers")
  func arrows() throws {
    let storeys = try Self.storeys()
    for (module, imports) in try Self.imports() {
      let height = try #require(storeys[module].flatMap(House.height), "\(module)")
      // The sandbox may use Foundation's essentials.
      let allowed = House.toolchain.union(module == "Sandbox" ? ["FoundationEssentials"] : [])
      for imported in imports.subtracting(allowed) {
        let floor = try #require(storeys[imported].flatMap(House.height), "\(module) imports \(imported)")
        #expect(floor <= height, "\(module) imports \(imported)")
      }
    }
  }

  @Test("sign-on and its providers do not import each other: the daemon connects them")
  func signOnAndProviders() throws {
    let imports = try Self.imports()
    let providers: Set = ["PingAM", "PingOne", "PushRelay", "SelfService"]
    #expect(try #require(imports["SignOn"]).isDisjoint(with: providers))
    #expect(imports.filter { $0.value.contains("SignOn") }.map(\.key) == ["Daemon"])
  }

  @Test("each C library is imported by one module only")
  func owners() throws {
    let owners = [
      "CCurl": "CurlClient", "CGnuTLS": "Hashing", "CMicroHTTPD": "HTTPServer", "COpenSSL": "OpenSSL",
      "CQREncode": "QRCode", "CSystemd": "Bus",
      "CPageChecksums": "SQLite", "CSQLite": "SQLite",
    ]
    let imports = try Self.imports()
    let libraries = try Self.storeys().filter { $0.value == "C" }.keys
    // Programs link CLinux and CWipingAllocator; these have no owner.
    #expect(Set(owners.keys).union(["CLinux", "CWipingAllocator"]) == Set(libraries))
    for (library, owner) in owners {
      #expect(imports.filter { $0.value.contains(library) }.map(\.key) == [owner], "\(library)")
    }
  }

  @Test("no program imports modules that are forbidden to it")
  func programs() throws {
    let imports = try Self.imports()
    func reach(_ module: String) -> Set<String> {
      (imports[module] ?? []).reduce(into: [module]) { $0.formUnion(reach($1)) }
    }
    let forbidden: [String: Set<String>] = [
      "authctl": ["Bus", "EventLoop", "SQLite", "OpenSSL", "CurlClient", "HTTPServer", "Vault"],
      "mfa-agent": ["SQLite", "OpenSSL", "CurlClient", "HTTPServer", "Vault", "AuthctlCommands"],
      "mfad": ["Bus", "CurlClient", "HTTPServer"],
      "mfad-courier": ["Bus", "SQLite", "OpenSSL", "JOSE", "Vault"],
    ]
    for (program, modules) in forbidden {
      #expect(reach(program).count > 3, "\(program)")
      #expect(reach(program).isDisjoint(with: modules), "\(program)")
    }
  }

  @Test("the architecture article lists each module in its layer and no other")
  func article() throws {
    let article = try Repository.text("Sources/Programs/Daemon/Documentation.docc/Architecture.md")
    // Clients in other languages are not modules.
    let modules = try Self.storeys().filter { $0.key != "Clients" }
    for storey in House.storeys {
      let row = article.split(separator: "\n").first { line in
        line.split(separator: "|").first?.lowercased() == " \(storey.lowercased()) "
      }
      let named = String(try #require(row, "\(storey)")).codeSpans
      #expect(named.sorted() == modules.filter { $0.value == storey }.keys.sorted(), "\(storey)")
    }
  }

  @Test("the top folder of the repository has only allowed entries")
  func top() throws {
    let allowed: Set<String> = ["Package.swift", "README.md", "Sources", "Tests", "systemd"]
    let names = Set(try Repository.topLevel().filter { !$0.hasPrefix(".") })
    #expect(names.isSuperset(of: ["Package.swift", "Sources", "Tests"]))
    // SwiftPM generates Package.resolved.
    #expect(names.subtracting(allowed).subtracting(["Package.resolved"]).isEmpty)
  }
}
