import Testing

/// The house from the ground up; what a module may import lies below it.
private enum House {
  static let c = ["CCurl", "CLinux", "CMicroHTTPD", "COpenSSL", "CQREncode", "CSQLite"]
  static let system = ["Glibc", "Synchronization"]

  /// In the order of their building; in layers whose modules use each other the order within counts too.
  static let layers: [(name: String, modules: [String], isOrdered: Bool)] = [
    ("leaves", ["Time", "Journal", "WebAddress", "Configuration", "EventLoop"], true),
    (
      "wrappers", ["CurlClient", "HTTPServer", "OpenSSL", "Posture", "QRCode", "SQLite", "UnixSockets"], false
    ),
    ("formats", ["JSON", "JOSE", "JSONRPC", "CourierProtocol", "CourierLink"], true),
    ("interface", ["ControlAPI"], false),
    ("domain", ["Authenticator"], false),
    ("adapters", ["PingOne", "SignOn"], false),
    ("shells", ["AuthctlCommands", "Benchmark", "Courier", "Daemon", "Sandbox"], false),
    ("programs", ["authctl", "mfad", "mfad-bench", "mfad-courier", "pingone-sandbox"], false),
  ]

  /// What a module may import of ours; `nil` for one that has no place in the house.
  static func below(_ module: String) -> Set<String>? {
    var below: Set<String> = []
    for layer in layers {
      if let place = layer.modules.firstIndex(of: module) {
        return layer.isOrdered ? below.union(layer.modules[..<place]) : below
      }
      below.formUnion(layer.modules)
    }
    return nil
  }
}

@Suite("The house")
struct HouseTests {
  /// What each module imports.
  private static func imports() throws -> [String: Set<String>] {
    var imports: [String: Set<String>] = [:]
    for file in try Repository.sources.get() where !House.c.contains(file.module) {
      imports[file.module, default: []].formUnion(file.imports)
    }
    return imports
  }

  @Test("every module has its place, and every place its module")
  func places() throws {
    #expect(Set(try Self.imports().keys) == Set(House.layers.flatMap(\.modules)))
  }

  @Test("arrows run down only")
  func arrows() throws {
    for (module, imports) in try Self.imports() {
      let below = try #require(House.below(module), "\(module)")
      let odd = imports.subtracting(below).subtracting(House.c).subtracting(House.system)
      // The sandbox alone may use Foundation's essentials.
      let allowed: Set<String> = module == "Sandbox" ? ["FoundationEssentials"] : []
      #expect(odd.subtracting(allowed).isEmpty, "\(module) imports \(odd)")
    }
  }

  @Test("a C library has one owner")
  func owners() throws {
    let owners = [
      "CCurl": "CurlClient", "CMicroHTTPD": "HTTPServer", "COpenSSL": "OpenSSL", "CQREncode": "QRCode",
      "CSQLite": "SQLite",
    ]
    let imports = try Self.imports()
    #expect(Set(owners.keys).union(["CLinux"]) == Set(House.c))
    for (library, owner) in owners {
      #expect(imports.filter { $0.value.contains(library) }.map(\.key) == [owner], "\(library)")
    }
  }

  @Test("no program holds what it must not: keys and a network, or more than it needs")
  func programs() throws {
    let imports = try Self.imports()
    func reach(_ module: String) -> Set<String> {
      (imports[module] ?? []).reduce(into: [module]) { $0.formUnion(reach($1)) }
    }
    let forbidden: [String: Set<String>] = [
      "authctl": ["SQLite", "OpenSSL", "CurlClient", "HTTPServer", "Authenticator"],
      "mfad": ["CurlClient", "HTTPServer"],
      "mfad-courier": ["SQLite", "OpenSSL", "JOSE", "Authenticator"],
    ]
    for (program, modules) in forbidden {
      #expect(reach(program).count > 3, "\(program)")
      #expect(reach(program).isDisjoint(with: modules), "\(program)")
    }
  }

  @Test("the top of the repository holds what has its place there")
  func top() throws {
    let allowed: Set<String> = ["Package.swift", "README.md", "Sources", "Tests", "systemd"]
    let names = Set(try Repository.topLevel().filter { !$0.hasPrefix(".") })
    #expect(names.isSuperset(of: ["Package.swift", "Sources", "Tests"]))
    // What SwiftPM writes for itself is not ours.
    #expect(names.subtracting(allowed).subtracting(["Package.resolved"]).isEmpty)
  }
}
