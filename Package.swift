// swift-tools-version: 6.2
import PackageDescription

/// One language mode and one set of upcoming features for every Swift target; a warning is an error.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .treatAllWarnings(as: .error),
]

/// The layers of the architecture from top to bottom.
///
/// The folder of a target is in the folder of its layer.
enum Layer: String {
  case programs = "Programs"
  case providers = "Providers"
  case core = "Core"
  case interface = "Interface"
  case formats = "Formats"
  case system = "System"
  case base = "Base"
  case c = "C"

  func module(
    _ name: String,
    _ dependencies: [Target.Dependency] = [],
    exclude: [String] = [],
    resources: [Resource] = []
  ) -> Target {
    .target(
      name: name,
      dependencies: dependencies,
      path: "Sources/\(rawValue)/\(name)",
      exclude: exclude,
      resources: resources,
      swiftSettings: settings
    )
  }

  func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
      name: name,
      dependencies: dependencies,
      path: "Sources/\(rawValue)/\(name)",
      swiftSettings: settings
    )
  }

  /// A system library, from a package of the distribution.
  func systemLibrary(_ name: String, _ pkgConfig: String, _ package: String) -> Target {
    .systemLibrary(
      name: name,
      path: "Sources/\(rawValue)/\(name)",
      pkgConfig: pkgConfig,
      providers: [.apt([package])]
    )
  }

  func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
      name: name,
      dependencies: dependencies,
      path: "Tests/\(rawValue)/\(name)",
      exclude: exclude,
      swiftSettings: settings
    )
  }
}

/// The code of a program for maintainers.
func tool(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, path: "Tests/Tools/\(name)", swiftSettings: settings)
}

/// A program for maintainers.
func toolProgram(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name,
    dependencies: dependencies,
    path: "Tests/Tools/\(name)",
    swiftSettings: settings
  )
}

/// A target that several tests share.
func support(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .target(
    name: name,
    dependencies: dependencies,
    path: "Tests/Support/\(name)",
    exclude: exclude,
    swiftSettings: settings
  )
}

/// The readers of hostile input.
///
/// Without `MFAD_FUZZ` they are a test target that runs the corpora. With it they are a program with libFuzzer,
/// which `Tests/fuzz` builds and runs.
let fuzzers: [Target] = {
  let readers: [Target.Dependency] = [
    "AMEnrolments", "Approvals", "Configuration", "ControlAPI", "CourierProtocol", "CurlClient",
    "EventLoop", "JOSE", "JSON", "JSONRPC", "OATH", "OATHExports", "OpenIDConnect",
    "OpenSSL", "PingAM", "PingOne", "PushRelay", "SelfService", "SignOn", "Text", "Time", "UserDevices",
    "Vault",
    "WebAddress",
  ]
  let path = "Tests/Fuzzers"
  guard Context.environment["MFAD_FUZZ"] != nil else {
    return [
      .testTarget(
        name: "FuzzerTests",
        dependencies: readers + ["CLinux", "Fixtures", "TestLoop"],
        path: path,
        exclude: ["Corpora", "main.swift"],
        swiftSettings: settings
      )
    ]
  }
  return [
    .target(name: "CFuzzer", path: "Tests/Support/CFuzzer"),
    .executableTarget(
      name: "mfad-fuzz",
      dependencies: readers + ["CFuzzer"],
      path: path,
      exclude: ["Corpora", "CorpusTests.swift", "Mutation.swift", "PeakMemory.swift"],
      swiftSettings: settings
    ),
  ]
}()

let package = Package(
  name: "mfad",
  targets: fuzzers + [
    // C: libraries of the distribution, and shims for declarations that Swift cannot import.
    .target(name: "CLinux", path: "Sources/C/CLinux"),
    .target(name: "CWipingAllocator", path: "Sources/C/CWipingAllocator"),
    Layer.c.systemLibrary("CCurl", "libcurl", "libcurl4-openssl-dev"),
    Layer.c.systemLibrary("CGnuTLS", "gnutls", "libgnutls28-dev"),
    Layer.c.systemLibrary("CMicroHTTPD", "libmicrohttpd", "libmicrohttpd-dev"),
    Layer.c.systemLibrary("COpenSSL", "libcrypto", "libssl-dev"),
    Layer.c.systemLibrary("CQREncode", "libqrencode", "libqrencode-dev"),
    Layer.c.systemLibrary("CSQLite", "sqlite3", "libsqlite3-dev"),
    Layer.c.systemLibrary("CSystemd", "libsystemd", "libsystemd-dev"),
    .target(name: "CPageChecksums", dependencies: ["CSQLite"], path: "Sources/C/CPageChecksums"),

    Layer.base.module("Time"),
    Layer.base.module("Text"),
    Layer.base.module("Usage", ["CLinux", "SystemCalls", "Text"]),
    Layer.base.module("Journal", ["Time"]),
    Layer.base.module("WebAddress", ["Text"]),
    Layer.base.module("SystemCalls"),
    Layer.base.module("EventLoop", ["CLinux", "SystemCalls", "Time"]),
    Layer.base.module("Configuration", ["Journal", "SystemCalls", "Text", "WebAddress"]),
    Layer.base.module("Settings", ["Configuration", "EventLoop"]),

    // One owner for each C library or kernel interface.
    Layer.system.module("Bus", ["CSystemd", "EventLoop", "SystemCalls"]),
    Layer.system.module("Confinement", ["CLinux", "SystemCalls"]),
    Layer.system.module("Connections", ["EventLoop", "SystemCalls", "UnixSockets"]),
    Layer.system.module("CurlClient", ["CCurl", "EventLoop", "Text", "Time", "WebAddress"]),
    Layer.system.module(
      "HTTPServer",
      ["CMicroHTTPD", "EventLoop", "SystemCalls", "Text", "WebAddress"]
    ),
    Layer.system.module("Hashing", ["CGnuTLS"]),
    Layer.system.module("OpenSSL", ["CLinux", "COpenSSL", "Journal"]),
    Layer.system.module("Machine", ["CLinux", "SystemCalls", "Text"]),
    Layer.system.module("Processes", ["CLinux", "SystemCalls", "UnixSockets"]),
    Layer.system.module("QRCode", ["CQREncode"]),
    Layer.system.module("SQLite", ["CLinux", "CPageChecksums", "CSQLite"]),
    Layer.system.module("UnixSockets", ["CLinux", "SystemCalls"]),

    Layer.formats.module("JSON"),
    Layer.formats.module("JOSE", ["JSON", "OpenSSL"]),
    Layer.formats.module("JSONRPC", ["JSON"]),
    Layer.formats.module("OATH", ["OATHExports", "OpenSSL", "Time"]),
    Layer.formats.module("OATHExports", ["JSON", "Text", "WebAddress"]),
    Layer.formats.module("AMEnrolments", ["JSON", "OATHExports", "OpenSSL", "Text", "WebAddress"]),
    Layer.formats.module("CourierProtocol", ["JSON", "Time", "WebAddress"]),

    // Shapes, classes, errors and methods.
    Layer.interface.module(
      "ControlAPI",
      ["Configuration", "JSON", "JSONRPC", "Journal", "Text", "Time", "WebAddress"]
    ),
    // Shared by all clients: find the daemon, verify that it is the daemon, read and show its data.
    Layer.interface.module(
      "ControlClient",
      [
        "Configuration", "ControlAPI", "JSON", "JSONRPC", "Machine", "SystemCalls", "Time", "UnixSockets",
      ]
    ),

    Layer.core.module(
      "Vault",
      [
        "Configuration", "ControlAPI", "EventLoop", "JSON", "JSONRPC", "Journal", "OATHExports", "OpenSSL",
        "SQLite", "Settings", "SystemCalls", "Time",
      ]
    ),
    Layer.core.module(
      "Accounts",
      [
        "Configuration", "ControlAPI", "EventLoop", "JSON", "JSONRPC", "Journal", "OATH", "OATHExports",
        "OpenSSL", "SQLite", "Settings", "Text", "Time", "Vault",
      ]
    ),
    Layer.core.module(
      "Approvals",
      [
        "Accounts", "Configuration", "ControlAPI", "EventLoop", "JSON", "JSONRPC", "Journal", "OpenSSL",
        "SQLite", "Settings", "Time", "Vault",
      ]
    ),

    Layer.providers.module(
      "CourierLink",
      [
        "Connections", "ControlAPI", "CourierProtocol", "EventLoop", "JSONRPC", "Journal", "Processes",
        "SystemCalls", "UnixSockets", "WebAddress",
      ]
    ),
    Layer.providers.module(
      "OpenIDConnect",
      [
        "Configuration", "ControlAPI", "CourierLink", "CourierProtocol", "EventLoop", "JOSE", "JSON",
        "JSONRPC", "Journal", "OpenSSL", "Settings", "Text", "Time", "WebAddress",
      ]
    ),
    Layer.providers.module(
      "PingOne",
      [
        "Accounts", "Approvals", "Configuration", "ControlAPI", "CourierLink", "CourierProtocol", "EventLoop",
        "JOSE", "JSON", "JSONRPC", "Journal", "OATH", "OpenIDConnect", "OpenSSL", "SQLite", "Settings",
        "Text", "Time", "Vault", "WebAddress",
      ]
    ),
    Layer.providers.module(
      "PushRelay",
      [
        "Configuration", "ControlAPI", "CourierLink", "CourierProtocol", "EventLoop", "JOSE", "JSON",
        "JSONRPC", "Journal", "OATHExports", "OpenSSL", "PingOne", "SQLite", "Settings", "Text", "Time",
        "Vault", "WebAddress",
      ]
    ),
    Layer.providers.module(
      "UserDevices",
      [
        "Accounts", "Configuration", "ControlAPI", "CourierProtocol", "EventLoop", "JSON", "JSONRPC", "Text",
        "Vault", "WebAddress",
      ]
    ),
    Layer.providers.module(
      "SelfService",
      [
        "Accounts", "Configuration", "ControlAPI", "CourierLink", "CourierProtocol", "EventLoop", "JSON",
        "JSONRPC", "Journal", "OATH", "OpenSSL", "SQLite", "Text", "Time", "UserDevices", "Vault",
        "WebAddress",
      ]
    ),
    Layer.providers.module(
      "PingAM",
      [
        "AMEnrolments", "Accounts", "Approvals", "Configuration", "ControlAPI", "CourierLink",
        "CourierProtocol", "EventLoop", "JOSE", "JSON", "JSONRPC", "Journal", "OATH", "OATHExports",
        "OpenSSL", "SQLite", "Settings", "Text", "Time", "UserDevices", "Vault", "WebAddress",
      ]
    ),
    Layer.providers.module(
      "SignOn",
      [
        "Accounts", "Approvals", "Configuration", "ControlAPI", "CourierLink", "CourierProtocol",
        "EventLoop", "JOSE", "JSON", "JSONRPC", "Journal", "Machine", "OATHExports", "OpenIDConnect",
        "OpenSSL", "SQLite", "Settings", "Text", "Time", "UserDevices", "Vault", "WebAddress",
      ]
    ),

    Layer.programs.module(
      "Courier",
      [
        "CLinux", "Configuration", "Confinement", "Connections", "CourierProtocol", "CurlClient",
        "EventLoop", "HTTPServer", "Hashing", "Journal", "SystemCalls", "UnixSockets", "Usage", "WebAddress",
      ]
    ),
    Layer.programs.module(
      "Daemon",
      [
        "AMEnrolments", "Accounts", "Approvals", "CLinux", "Configuration", "Confinement", "Connections",
        "ControlAPI", "CourierLink", "EventLoop", "JSON", "JSONRPC", "Journal", "Machine",
        "OpenIDConnect", "OpenSSL", "PingAM", "PingOne", "Processes", "PushRelay", "SQLite", "SelfService",
        "Settings", "SignOn", "SystemCalls", "Time", "UnixSockets", "Usage", "Vault", "WebAddress",
      ]
    ),
    Layer.programs.program("mfad", ["CWipingAllocator", "Daemon", "Processes"]),
    Layer.programs.program("mfad-courier", ["CWipingAllocator", "Courier", "Processes"]),
    Layer.programs.module(
      "AuthctlCommands",
      [
        "CLinux", "Configuration", "Confinement", "ControlAPI", "ControlClient", "JSON", "JSONRPC",
        "OATHExports", "Processes", "QRCode", "SystemCalls", "Text", "Time", "UnixSockets", "Usage",
        "WebAddress",
      ]
    ),
    Layer.programs.program("authctl", ["AuthctlCommands", "CWipingAllocator", "Processes"]),
    Layer.programs.module(
      "Agent",
      [
        "Bus", "CLinux", "Configuration", "Connections", "ControlAPI", "ControlClient", "EventLoop", "JSON",
        "JSONRPC", "Journal", "SystemCalls", "Text", "Time", "Usage",
      ]
    ),
    Layer.programs.program("mfa-agent", ["Agent", "Processes"]),
    Layer.programs.module(
      "Sandbox",
      [
        "CurlClient", "EventLoop", "HTTPServer", "JOSE", "JSON", "Journal", "OpenSSL", "QRCode", "SQLite",
        "SystemCalls", "Text", "Time", "Usage", "WebAddress",
      ],
      exclude: ["Flows"],
      resources: [.embedInCode("Console/console.css"), .embedInCode("FlowPlayer/SignOn/sign-on.json")]
    ),
    Layer.programs.program("pingone-sandbox", ["Processes", "Sandbox"]),
    // Programs for maintainers: the writer of the manual pages, and the load generator of the measurements.
    tool(
      "Manual",
      [
        "Agent", "AuthctlCommands", "Configuration", "ControlAPI", "ControlClient", "Courier", "Daemon",
        "JSONRPC",
        "Sandbox",
        "Text", "Usage",
      ]
    ),
    toolProgram("mfad-manual", ["Manual", "Processes"]),
    tool(
      "Benchmark",
      [
        "Connections", "ControlAPI", "EventLoop", "JOSE", "JSON", "JSONRPC", "OATH", "OpenIDConnect",
        "OpenSSL", "PingOne", "SQLite", "SystemCalls", "Time", "UnixSockets", "Usage",
      ]
    ),
    toolProgram("mfad-bench", ["Benchmark", "Processes"]),

    // Targets that several tests share: a loop, a network, and fixtures with their readers.
    support("TestLoop", ["EventLoop"]),
    support("Interleaving", ["EventLoop", "Fixtures", "TestLoop"]),
    support(
      "TestCourier",
      ["Connections", "CourierProtocol", "EventLoop", "TestNetwork", "UnixSockets"]
    ),
    support("TestHTTP", ["EventLoop", "SystemCalls"]),
    .target(name: "CSimulation", dependencies: ["COpenSSL"], path: "Tests/Support/CSimulation"),
    .executableTarget(
      name: "mfad-simulate",
      dependencies: [
        "CSQLite", "CSimulation", "Configuration", "Connections", "ControlAPI", "CourierLink",
        "CourierProtocol", "Daemon", "EventLoop", "Fixtures", "JOSE", "JSON", "JSONRPC", "Journal", "OATH",
        "OATHExports", "OpenSSL", "PingOne", "PlatformWire", "PushRelay", "SQLite", "Settings", "TestCourier",
        "Time",
        "UnixSockets", "Vault", "WebAddress",
      ],
      path: "Tests/Simulation",
      exclude: ["Planted"],
      swiftSettings: settings
    ),
    .target(name: "Attempts", path: "Tests/Support/Attempts"),
    .executableTarget(
      name: "confinement-probe",
      dependencies: ["Attempts", "Configuration", "Confinement", "Courier", "CourierLink", "Daemon"],
      path: "Tests/Support/ConfinementProbe",
      swiftSettings: settings
    ),
    .target(
      name: "Fixtures",
      dependencies: ["JSON"],
      path: "Tests/Fixtures",
      exclude: [
        "am", "davinci", "journey", "jsontestsuite", "native-sdk-names.txt", "oath", "oidc",
        "orchestration-sdk-names.txt", "pingone-factors", "plain-english.json", "rfc", "wycheproof",
      ],
      swiftSettings: settings
    ),
    support(
      "TestPlatform",
      [
        "Accounts", "Approvals", "Configuration", "ControlAPI", "CourierLink", "CourierProtocol", "Daemon",
        "EventLoop", "Interleaving", "JOSE", "JSON", "JSONRPC", "Journal", "OATH",
        "OATHExports", "OpenSSL", "PingOne", "PlatformWire", "SQLite", "Settings", "SignOn", "TestLoop",
        "TestNetwork", "Time", "Vault", "WebAddress",
      ]
    ),
    support("PlatformWire", ["CourierProtocol", "JOSE", "JSON", "OpenSSL", "WebAddress"]),
    support("TestNetwork", ["CLinux", "UnixSockets", "WebAddress"], exclude: ["server.py"]),

    // Tests mirror the sources.
    Layer.formats.tests(
      "AMEnrolmentsTests",
      ["AMEnrolments", "Fixtures", "JSON", "OATHExports", "OpenSSL", "WebAddress"]
    ),
    .testTarget(
      name: "ArchitectureTests",
      dependencies: ["AuthctlCommands", "Configuration", "ControlAPI", "JSON", "Usage"],
      swiftSettings: settings
    ),
    Layer.programs.tests(
      "AuthctlTests",
      [
        "AuthctlCommands", "ControlAPI", "ControlClient", "JSON", "JSONRPC", "UnixSockets", "Usage",
        "authctl",
      ],
      exclude: ["Scenarios"]
    ),
    Layer.programs.tests(
      "AgentTests",
      ["Agent", "Bus", "ControlAPI", "ControlClient", "EventLoop", "JSON", "TestLoop", "Time"]
    ),
    Layer.core.tests(
      "AccountsTests",
      [
        "Accounts", "Approvals", "Configuration", "ControlAPI", "EventLoop", "Fixtures", "Interleaving",
        "JSON", "JSONRPC", "OATH", "OpenSSL", "PingOne", "SQLite", "TestLoop", "TestPlatform", "Time",
        "Vault",
      ]
    ),
    Layer.core.tests(
      "ApprovalsTests",
      [
        "Accounts", "Approvals", "ControlAPI", "EventLoop", "Fixtures", "Interleaving", "JSON", "JSONRPC",
        "PingOne", "SQLite", "TestLoop", "TestPlatform", "Time", "Vault",
      ]
    ),
    Layer.core.tests(
      "VaultTests",
      [
        "Accounts", "Approvals", "Configuration", "ControlAPI", "Daemon", "EventLoop",
        "Fixtures", "Interleaving", "JSON", "JSONRPC", "Journal", "OpenSSL", "PingOne", "SQLite", "Settings",
        "SignOn", "TestLoop", "TestNetwork", "TestPlatform", "Time", "Vault",
      ]
    ),
    Layer.base.tests("ConfigurationTests", ["Configuration", "Journal", "WebAddress"]),
    Layer.interface.tests(
      "ControlAPITests",
      ["Configuration", "ControlAPI", "JSON", "JSONRPC", "Time", "WebAddress"]
    ),
    Layer.providers.tests(
      "CourierLinkTests",
      [
        "CourierLink", "CourierProtocol", "EventLoop", "Fixtures", "TestCourier", "TestLoop", "TestNetwork",
        "WebAddress", "mfad-courier",
      ]
    ),
    Layer.formats.tests("CourierProtocolTests", ["CourierProtocol", "WebAddress"]),
    Layer.programs.tests(
      "CourierTests",
      [
        "Configuration", "Connections", "Courier", "CourierProtocol", "EventLoop", "SystemCalls",
        "TestCourier", "TestHTTP", "TestLoop", "TestNetwork", "UnixSockets", "Usage", "WebAddress",
        "mfad-courier",
      ]
    ),
    Layer.system.tests(
      "ConfinementTests",
      ["CLinux", "TestNetwork", "confinement-probe", "mfad-courier"]
    ),
    Layer.system.tests("ConnectionsTests", ["Connections", "EventLoop", "TestLoop", "UnixSockets"]),
    Layer.system.tests(
      "CurlClientTests",
      ["CurlClient", "EventLoop", "TestLoop", "TestNetwork", "WebAddress"]
    ),
    Layer.programs.tests(
      "DaemonTests",
      [
        "Approvals", "Configuration", "Connections", "ControlAPI", "CourierProtocol", "Daemon", "EventLoop",
        "Fixtures", "Interleaving", "JSON", "JSONRPC", "Machine", "PingOne", "SQLite", "TestLoop",
        "TestNetwork", "Time", "UnixSockets", "Usage", "Vault", "WebAddress",
      ]
    ),
    Layer.base.tests("EventLoopTests", ["EventLoop", "TestLoop"]),
    Layer.system.tests(
      "HTTPServerTests",
      ["EventLoop", "HTTPServer", "SystemCalls", "TestHTTP", "TestLoop"]
    ),
    Layer.formats.tests("OATHExportsTests", ["Fixtures", "JSON", "OATHExports"]),
    Layer.formats.tests(
      "OATHTests",
      ["Fixtures", "JSON", "OATH", "OATHExports", "OpenSSL", "TestNetwork", "Time"],
      exclude: ["Foreign"]
    ),
    Layer.formats.tests("JOSETests", ["JOSE", "OpenSSL", "Fixtures", "JSON"]),
    Layer.formats.tests("JSONRPCTests", ["JSONRPC", "JSON"]),
    Layer.formats.tests("JSONTests", ["JSON", "Fixtures"]),
    Layer.base.tests("JournalTests", ["Journal", "Time"]),
    Layer.system.tests("OpenSSLTests", ["OpenSSL", "Fixtures", "JSON"]),
    Layer.system.tests("MachineTests", ["Machine", "TestNetwork"]),
    Layer.system.tests("QRCodeTests", ["QRCode"]),
    Layer.system.tests("SQLiteTests", ["SQLite"]),
    Layer.providers.tests(
      "PingAMTests",
      [
        "AMEnrolments", "Accounts", "Approvals", "Configuration", "ControlAPI", "CourierProtocol", "Daemon",
        "EventLoop", "Fixtures", "JOSE", "JSON", "JSONRPC", "Journal", "OATHExports", "OpenSSL", "PingAM",
        "SQLite", "Settings", "TestLoop", "TestNetwork", "TestPlatform", "Time", "UserDevices", "Vault",
        "WebAddress",
      ]
    ),
    Layer.providers.tests(
      "OpenIDConnectTests",
      ["ControlAPI", "JOSE", "JSON", "OpenIDConnect", "OpenSSL", "PlatformWire", "Time", "WebAddress"]
    ),
    Layer.providers.tests(
      "PingOneTests",
      [
        "Accounts", "Approvals", "Configuration", "ControlAPI", "CourierProtocol", "EventLoop", "Fixtures",
        "Interleaving", "JOSE", "JSON", "JSONRPC", "Journal", "OpenIDConnect", "OpenSSL", "PingOne",
        "PlatformWire", "SQLite", "TestLoop", "TestNetwork", "TestPlatform", "Time", "Vault", "WebAddress",
      ]
    ),
    Layer.providers.tests(
      "SelfServiceTests",
      [
        "Accounts", "Configuration", "ControlAPI", "CourierProtocol", "EventLoop", "Fixtures", "JSON",
        "JSONRPC", "Journal", "OpenSSL", "SQLite", "SelfService", "TestLoop", "TestNetwork", "TestPlatform",
        "Time", "UserDevices", "Vault", "WebAddress",
      ]
    ),
    Layer.programs.tests(
      "SandboxTests",
      [
        "EventLoop", "Fixtures", "HTTPServer", "JOSE", "JSON", "OpenSSL", "Sandbox", "TestHTTP", "TestLoop",
        "Time", "WebAddress",
      ]
    ),
    Layer.providers.tests(
      "PushRelayTests",
      [
        "Configuration", "ControlAPI", "EventLoop", "Fixtures", "JOSE", "JSON", "OpenSSL", "PingOne",
        "PushRelay", "SQLite", "Settings", "TestLoop", "TestPlatform", "Time", "Vault", "WebAddress",
      ]
    ),
    Layer.providers.tests(
      "SignOnTests",
      [
        "AMEnrolments", "Accounts", "Configuration", "ControlAPI", "CourierLink", "CourierProtocol",
        "EventLoop", "Fixtures", "JOSE", "JSON", "JSONRPC", "Journal", "OATHExports",
        "OpenIDConnect", "OpenSSL", "PingAM", "PingOne", "SQLite", "SelfService", "SignOn", "TestCourier",
        "TestLoop", "TestNetwork", "TestPlatform", "Time", "Vault", "WebAddress",
      ]
    ),
    Layer.base.tests("SystemCallsTests", ["SystemCalls"]),
    Layer.base.tests("TextTests", ["Text"]),
    Layer.base.tests("TimeTests", ["Time"]),
    Layer.system.tests("UnixSocketsTests", ["SystemCalls", "UnixSockets"]),
    Layer.base.tests("WebAddressTests", ["WebAddress"]),
  ]
)
