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
enum Storey: String {
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
    Storey.c.systemLibrary("CCurl", "libcurl", "libcurl4-openssl-dev"),
    Storey.c.systemLibrary("CGnuTLS", "gnutls", "libgnutls28-dev"),
    Storey.c.systemLibrary("CMicroHTTPD", "libmicrohttpd", "libmicrohttpd-dev"),
    Storey.c.systemLibrary("COpenSSL", "libcrypto", "libssl-dev"),
    Storey.c.systemLibrary("CQREncode", "libqrencode", "libqrencode-dev"),
    Storey.c.systemLibrary("CSQLite", "sqlite3", "libsqlite3-dev"),
    Storey.c.systemLibrary("CSystemd", "libsystemd", "libsystemd-dev"),
    .target(name: "CPageChecksums", dependencies: ["CSQLite"], path: "Sources/C/CPageChecksums"),

    Storey.base.module("Time"),
    Storey.base.module("Text"),
    Storey.base.module("Usage", ["SystemCalls", "Text"]),
    Storey.base.module("Journal", ["Time"]),
    Storey.base.module("WebAddress", ["Text"]),
    Storey.base.module("SystemCalls"),
    Storey.base.module("EventLoop", ["CLinux", "SystemCalls", "Time"]),
    Storey.base.module("Configuration", ["Journal", "SystemCalls", "Text", "WebAddress"]),
    Storey.base.module("Settings", ["Configuration", "EventLoop"]),

    // One owner for each C library or kernel interface.
    Storey.system.module("Bus", ["CSystemd", "EventLoop", "SystemCalls"]),
    Storey.system.module("Confinement", ["CLinux", "SystemCalls"]),
    Storey.system.module("Connections", ["EventLoop", "SystemCalls", "UnixSockets"]),
    Storey.system.module("CurlClient", ["CCurl", "EventLoop", "Text", "Time", "WebAddress"]),
    Storey.system.module(
      "HTTPServer",
      ["CMicroHTTPD", "EventLoop", "SystemCalls", "Text", "WebAddress"]
    ),
    Storey.system.module("Hashing", ["CGnuTLS"]),
    Storey.system.module("OpenSSL", ["CLinux", "COpenSSL"]),
    Storey.system.module("Machine", ["CLinux", "SystemCalls", "Text"]),
    Storey.system.module("Processes", ["CLinux", "SystemCalls", "UnixSockets"]),
    Storey.system.module("QRCode", ["CQREncode"]),
    Storey.system.module("SQLite", ["CLinux", "CPageChecksums", "CSQLite"]),
    Storey.system.module("UnixSockets", ["CLinux", "SystemCalls"]),

    Storey.formats.module("JSON"),
    Storey.formats.module("JOSE", ["JSON", "OpenSSL"]),
    Storey.formats.module("JSONRPC", ["JSON"]),
    Storey.formats.module("OATH", ["OATHExports", "OpenSSL", "Time"]),
    Storey.formats.module("OATHExports", ["JSON", "Text", "WebAddress"]),
    Storey.formats.module("AMEnrolments", ["JSON", "OATHExports", "OpenSSL", "Text", "WebAddress"]),
    Storey.formats.module("CourierProtocol", ["JSON", "Time", "WebAddress"]),

    // Shapes, classes, errors and methods.
    Storey.interface.module(
      "ControlAPI",
      ["Configuration", "JSON", "JSONRPC", "Journal", "Text", "Time", "WebAddress"]
    ),
    // Shared by all clients: find the daemon, verify that it is the daemon, read and show its data.
    Storey.interface.module(
      "ControlClient",
      [
        "Configuration", "ControlAPI", "JSON", "JSONRPC", "Machine", "SystemCalls", "Time", "UnixSockets",
      ]
    ),

    Storey.core.module(
      "Vault",
      [
        "Configuration", "ControlAPI", "EventLoop", "JSON", "JSONRPC", "Journal", "OATHExports", "OpenSSL",
        "SQLite", "Settings", "SystemCalls", "Time",
      ]
    ),
    Storey.core.module(
      "Accounts",
      [
        "Configuration", "ControlAPI", "EventLoop", "JSON", "JSONRPC", "Journal", "OATH", "OATHExports",
        "OpenSSL", "SQLite", "Settings", "Text", "Time", "Vault",
      ]
    ),
    Storey.core.module(
      "Approvals",
      [
        "Accounts", "Configuration", "ControlAPI", "EventLoop", "JSON", "JSONRPC", "Journal", "OpenSSL",
        "SQLite", "Settings", "Time", "Vault",
      ]
    ),

    Storey.providers.module(
      "CourierLink",
      [
        "Connections", "ControlAPI", "CourierProtocol", "EventLoop", "JSONRPC", "Journal", "Processes",
        "SystemCalls", "UnixSockets", "WebAddress",
      ]
    ),
    Storey.providers.module(
      "OpenIDConnect",
      [
        "Configuration", "ControlAPI", "CourierLink", "CourierProtocol", "EventLoop", "JOSE", "JSON",
        "JSONRPC", "Journal", "OpenSSL", "Settings", "Text", "Time", "WebAddress",
      ]
    ),
    Storey.providers.module(
      "PingOne",
      [
        "Accounts", "Approvals", "Configuration", "ControlAPI", "CourierLink", "CourierProtocol", "EventLoop",
        "JOSE", "JSON", "JSONRPC", "Journal", "OATH", "OpenIDConnect", "OpenSSL", "SQLite", "Settings",
        "Text", "Time", "Vault", "WebAddress",
      ]
    ),
    Storey.providers.module(
      "PushRelay",
      [
        "Configuration", "ControlAPI", "CourierLink", "CourierProtocol", "EventLoop", "JOSE", "JSON",
        "JSONRPC", "Journal", "OATHExports", "OpenSSL", "PingOne", "SQLite", "Settings", "Text", "Time",
        "Vault", "WebAddress",
      ]
    ),
    Storey.providers.module(
      "UserDevices",
      [
        "Accounts", "Configuration", "ControlAPI", "CourierProtocol", "EventLoop", "JSON", "JSONRPC", "Text",
        "Vault", "WebAddress",
      ]
    ),
    Storey.providers.module(
      "SelfService",
      [
        "Accounts", "Configuration", "ControlAPI", "CourierLink", "CourierProtocol", "EventLoop", "JSON",
        "JSONRPC", "Journal", "OATH", "OpenSSL", "SQLite", "Text", "Time", "UserDevices", "Vault",
        "WebAddress",
      ]
    ),
    Storey.providers.module(
      "PingAM",
      [
        "AMEnrolments", "Accounts", "Approvals", "Configuration", "ControlAPI", "CourierLink",
        "CourierProtocol", "EventLoop", "JOSE", "JSON", "JSONRPC", "Journal", "OATH", "OATHExports",
        "OpenSSL", "SQLite", "Settings", "Text", "Time", "UserDevices", "Vault", "WebAddress",
      ]
    ),
    Storey.providers.module(
      "SignOn",
      [
        "Accounts", "Approvals", "Configuration", "ControlAPI", "CourierLink", "CourierProtocol",
        "EventLoop", "JOSE", "JSON", "JSONRPC", "Journal", "Machine", "OATHExports", "OpenIDConnect",
        "OpenSSL", "SQLite", "Settings", "Text", "Time", "UserDevices", "Vault", "WebAddress",
      ]
    ),

    Storey.programs.module(
      "Courier",
      [
        "CLinux", "Configuration", "Confinement", "Connections", "CourierProtocol", "CurlClient",
        "EventLoop", "HTTPServer", "Hashing", "Journal", "SystemCalls", "UnixSockets", "Usage", "WebAddress",
      ]
    ),
    Storey.programs.module(
      "Daemon",
      [
        "AMEnrolments", "Accounts", "Approvals", "CLinux", "Configuration", "Confinement", "Connections",
        "ControlAPI", "CourierLink", "EventLoop", "JSON", "JSONRPC", "Journal", "Machine",
        "OpenIDConnect", "OpenSSL", "PingAM", "PingOne", "Processes", "PushRelay", "SQLite", "SelfService",
        "Settings", "SignOn", "SystemCalls", "Time", "UnixSockets", "Usage", "Vault", "WebAddress",
      ]
    ),
    Storey.programs.program("mfad", ["CWipingAllocator", "Daemon", "Processes"]),
    Storey.programs.program("mfad-courier", ["CWipingAllocator", "Courier", "Processes"]),
    Storey.programs.module(
      "AuthctlCommands",
      [
        "CLinux", "Configuration", "ControlAPI", "ControlClient", "JSON", "JSONRPC", "OATHExports",
        "Processes", "QRCode", "SystemCalls", "Text", "Time", "UnixSockets", "Usage", "WebAddress",
      ]
    ),
    Storey.programs.program("authctl", ["AuthctlCommands", "CWipingAllocator", "Processes"]),
    Storey.programs.module(
      "Agent",
      [
        "Bus", "CLinux", "Configuration", "Connections", "ControlAPI", "ControlClient", "EventLoop", "JSON",
        "JSONRPC", "Journal", "SystemCalls", "Text", "Time", "Usage",
      ]
    ),
    Storey.programs.program("mfa-agent", ["Agent", "Processes"]),
    Storey.programs.module(
      "Sandbox",
      [
        "CurlClient", "EventLoop", "HTTPServer", "JOSE", "JSON", "Journal", "OpenSSL", "QRCode", "SQLite",
        "SystemCalls", "Text", "Time", "Usage", "WebAddress",
      ],
      exclude: ["Flows"],
      resources: [.embedInCode("Console/console.css"), .embedInCode("FlowPlayer/SignOn/sign-on.json")]
    ),
    Storey.programs.program("pingone-sandbox", ["Processes", "Sandbox"]),
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
        "orchestration-sdk-names.txt", "pingone-factors", "rfc", "wycheproof",
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
    Storey.formats.tests(
      "AMEnrolmentsTests",
      ["AMEnrolments", "Fixtures", "JSON", "OATHExports", "OpenSSL", "WebAddress"]
    ),
    .testTarget(
      name: "ArchitectureTests",
      dependencies: ["AuthctlCommands", "Configuration", "ControlAPI", "JSON", "Usage"],
      swiftSettings: settings
    ),
    Storey.programs.tests(
      "AuthctlTests",
      [
        "AuthctlCommands", "ControlAPI", "ControlClient", "JSON", "JSONRPC", "UnixSockets", "Usage",
        "authctl",
      ],
      exclude: ["Scenarios"]
    ),
    Storey.programs.tests(
      "AgentTests",
      ["Agent", "Bus", "ControlAPI", "ControlClient", "EventLoop", "JSON", "TestLoop", "Time"]
    ),
    Storey.core.tests(
      "AccountsTests",
      [
        "Accounts", "Approvals", "Configuration", "ControlAPI", "EventLoop", "Fixtures", "Interleaving",
        "JSON", "JSONRPC", "OATH", "OpenSSL", "PingOne", "SQLite", "TestLoop", "TestPlatform", "Time",
        "Vault",
      ]
    ),
    Storey.core.tests(
      "ApprovalsTests",
      [
        "Accounts", "Approvals", "ControlAPI", "EventLoop", "Fixtures", "Interleaving", "JSON", "JSONRPC",
        "PingOne", "SQLite", "TestLoop", "TestPlatform", "Time", "Vault",
      ]
    ),
    Storey.core.tests(
      "VaultTests",
      [
        "Accounts", "Approvals", "Configuration", "ControlAPI", "Daemon", "EventLoop",
        "Fixtures", "Interleaving", "JSON", "JSONRPC", "Journal", "OpenSSL", "PingOne", "SQLite", "Settings",
        "SignOn", "TestLoop", "TestNetwork", "TestPlatform", "Time", "Vault",
      ]
    ),
    Storey.base.tests("ConfigurationTests", ["Configuration", "Journal", "WebAddress"]),
    Storey.interface.tests(
      "ControlAPITests",
      ["Configuration", "ControlAPI", "JSON", "JSONRPC", "Time", "WebAddress"]
    ),
    Storey.providers.tests(
      "CourierLinkTests",
      [
        "CourierLink", "CourierProtocol", "EventLoop", "Fixtures", "TestCourier", "TestLoop", "TestNetwork",
        "WebAddress", "mfad-courier",
      ]
    ),
    Storey.formats.tests("CourierProtocolTests", ["CourierProtocol", "WebAddress"]),
    Storey.programs.tests(
      "CourierTests",
      [
        "Configuration", "Connections", "Courier", "CourierProtocol", "EventLoop", "SystemCalls",
        "TestCourier", "TestHTTP", "TestLoop", "TestNetwork", "UnixSockets", "Usage", "WebAddress",
        "mfad-courier",
      ]
    ),
    Storey.system.tests(
      "ConfinementTests",
      ["CLinux", "TestNetwork", "confinement-probe", "mfad-courier"]
    ),
    Storey.system.tests("ConnectionsTests", ["Connections", "EventLoop", "TestLoop", "UnixSockets"]),
    Storey.system.tests(
      "CurlClientTests",
      ["CurlClient", "EventLoop", "TestLoop", "TestNetwork", "WebAddress"]
    ),
    Storey.programs.tests(
      "DaemonTests",
      [
        "Approvals", "Configuration", "Connections", "ControlAPI", "CourierProtocol", "Daemon", "EventLoop",
        "Fixtures", "Interleaving", "JSON", "JSONRPC", "Machine", "PingOne", "SQLite", "TestLoop",
        "TestNetwork", "Time", "UnixSockets", "Usage", "Vault", "WebAddress",
      ]
    ),
    Storey.base.tests("EventLoopTests", ["EventLoop", "TestLoop"]),
    Storey.system.tests(
      "HTTPServerTests",
      ["EventLoop", "HTTPServer", "SystemCalls", "TestHTTP", "TestLoop"]
    ),
    Storey.formats.tests("OATHExportsTests", ["Fixtures", "JSON", "OATHExports"]),
    Storey.formats.tests(
      "OATHTests",
      ["Fixtures", "JSON", "OATH", "OATHExports", "OpenSSL", "TestNetwork", "Time"],
      exclude: ["Foreign"]
    ),
    Storey.formats.tests("JOSETests", ["JOSE", "OpenSSL", "Fixtures", "JSON"]),
    Storey.formats.tests("JSONRPCTests", ["JSONRPC", "JSON"]),
    Storey.formats.tests("JSONTests", ["JSON", "Fixtures"]),
    Storey.base.tests("JournalTests", ["Journal", "Time"]),
    Storey.system.tests("OpenSSLTests", ["OpenSSL", "Fixtures", "JSON"]),
    Storey.system.tests("MachineTests", ["Machine", "TestNetwork"]),
    Storey.system.tests("QRCodeTests", ["QRCode"]),
    Storey.system.tests("SQLiteTests", ["SQLite"]),
    Storey.providers.tests(
      "PingAMTests",
      [
        "AMEnrolments", "Accounts", "Approvals", "Configuration", "ControlAPI", "CourierProtocol", "Daemon",
        "EventLoop", "Fixtures", "JOSE", "JSON", "JSONRPC", "Journal", "OATHExports", "OpenSSL", "PingAM",
        "SQLite", "Settings", "TestLoop", "TestNetwork", "TestPlatform", "Time", "UserDevices", "Vault",
        "WebAddress",
      ]
    ),
    Storey.providers.tests(
      "OpenIDConnectTests",
      ["ControlAPI", "JOSE", "JSON", "OpenIDConnect", "OpenSSL", "PlatformWire", "Time", "WebAddress"]
    ),
    Storey.providers.tests(
      "PingOneTests",
      [
        "Accounts", "Approvals", "Configuration", "ControlAPI", "CourierProtocol", "EventLoop", "Fixtures",
        "Interleaving", "JOSE", "JSON", "JSONRPC", "Journal", "OpenIDConnect", "OpenSSL", "PingOne",
        "PlatformWire", "SQLite", "TestLoop", "TestNetwork", "TestPlatform", "Time", "Vault", "WebAddress",
      ]
    ),
    Storey.providers.tests(
      "SelfServiceTests",
      [
        "Accounts", "Configuration", "ControlAPI", "CourierProtocol", "EventLoop", "Fixtures", "JSON",
        "JSONRPC", "Journal", "OpenSSL", "SQLite", "SelfService", "TestLoop", "TestNetwork", "TestPlatform",
        "Time", "UserDevices", "Vault", "WebAddress",
      ]
    ),
    Storey.programs.tests(
      "SandboxTests",
      [
        "EventLoop", "Fixtures", "HTTPServer", "JOSE", "JSON", "OpenSSL", "Sandbox", "TestHTTP", "TestLoop",
        "Time", "WebAddress",
      ]
    ),
    Storey.providers.tests(
      "PushRelayTests",
      [
        "Configuration", "ControlAPI", "EventLoop", "Fixtures", "JOSE", "JSON", "OpenSSL", "PingOne",
        "PushRelay", "SQLite", "Settings", "TestLoop", "TestPlatform", "Time", "Vault", "WebAddress",
      ]
    ),
    Storey.providers.tests(
      "SignOnTests",
      [
        "AMEnrolments", "Accounts", "Configuration", "ControlAPI", "CourierLink", "CourierProtocol",
        "EventLoop", "Fixtures", "JOSE", "JSON", "JSONRPC", "Journal", "OATHExports",
        "OpenIDConnect", "OpenSSL", "PingAM", "PingOne", "SQLite", "SelfService", "SignOn", "TestCourier",
        "TestLoop", "TestNetwork", "TestPlatform", "Time", "Vault", "WebAddress",
      ]
    ),
    Storey.base.tests("SystemCallsTests", ["SystemCalls"]),
    Storey.base.tests("TextTests", ["Text"]),
    Storey.base.tests("TimeTests", ["Time"]),
    Storey.system.tests("UnixSocketsTests", ["SystemCalls", "UnixSockets"]),
    Storey.base.tests("WebAddressTests", ["WebAddress"]),
  ]
)
