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

func module(
  _ name: String,
  _ dependencies: [Target.Dependency] = [],
  exclude: [String] = []
) -> Target {
  .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

let package = Package(
  name: "mfad",
  targets: [
    // C: libraries of the distribution, and what Swift cannot import by itself.
    .target(name: "CLinux"),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),

    // Leaves.
    module("Time"),
    module("Journal", ["Time"]),
    module("WebAddress"),
    module("Configuration", ["Journal", "WebAddress"]),
    module("EventLoop", ["CLinux", "Time"]),

    // Wrappers: one owner for each C library or kernel interface.
    module("CurlClient", ["CCurl", "EventLoop", "Time", "WebAddress"]),
    module("HTTPServer", ["CMicroHTTPD", "EventLoop", "WebAddress"]),
    module("OpenSSL", ["COpenSSL"]),
    module("Posture", ["CLinux"]),
    module("QRCode", ["CQREncode"]),
    module("SQLite", ["CSQLite"]),
    module("UnixSockets", ["CLinux", "EventLoop"]),

    // Formats.
    module("JSON"),
    module("JOSE", ["JSON", "OpenSSL"]),
    module("JSONRPC", ["JSON"]),
    module("CourierProtocol", ["JSON", "Time", "WebAddress"]),
    module(
      "CourierLink",
      ["CLinux", "CourierProtocol", "EventLoop", "Journal", "Time", "UnixSockets", "WebAddress"]
    ),

    // The interface: shapes, classes and the method table.
    module("ControlAPI", ["Configuration", "JSON", "JSONRPC", "Time"]),

    // The domain.
    module(
      "Authenticator",
      [
        "Configuration", "ControlAPI", "EventLoop", "JOSE", "JSON", "JSONRPC", "Journal", "OpenSSL", "SQLite",
        "Time", "WebAddress",
      ]
    ),

    // Adapters: what is spoken with the outside.
    module(
      "PingOne",
      [
        "Authenticator", "Configuration", "ControlAPI", "CourierLink", "CourierProtocol", "EventLoop", "JOSE",
        "JSON", "JSONRPC", "Journal", "OpenSSL", "Time", "WebAddress",
      ]
    ),
    module(
      "SignOn",
      [
        "Authenticator", "Configuration", "ControlAPI", "CourierLink", "CourierProtocol", "EventLoop", "JOSE",
        "JSON", "JSONRPC", "Journal", "OpenSSL", "Time", "WebAddress",
      ]
    ),

    // Shells and programs.
    module(
      "Courier",
      [
        "CLinux", "Configuration", "CourierProtocol", "CurlClient", "EventLoop", "HTTPServer", "Journal",
        "UnixSockets", "WebAddress",
      ]
    ),
    module(
      "Daemon",
      [
        "Authenticator", "CLinux", "Configuration", "ControlAPI", "CourierLink", "EventLoop", "JSON",
        "JSONRPC",
        "Journal", "OpenSSL", "PingOne", "Posture", "SQLite", "SignOn", "Time", "UnixSockets", "WebAddress",
      ]
    ),
    program("mfad", ["Daemon"]),
    program("mfad-courier", ["Courier"]),
    module("AuthctlCommands", ["CLinux", "EventLoop", "JSON", "QRCode", "Time", "UnixSockets"]),
    program("authctl", ["AuthctlCommands"]),
    module(
      "Sandbox",
      ["EventLoop", "HTTPServer", "JOSE", "JSON", "Journal", "OpenSSL", "SQLite", "Time", "WebAddress"],
      exclude: ["Flows"]
    ),
    program("pingone-sandbox", ["Sandbox"]),
    module("Benchmark", ["EventLoop", "Time", "UnixSockets"]),
    program("mfad-bench", ["Benchmark"]),

    // What several tests use: a loop, a network, and the files of others with the code that reads them.
    .target(name: "TestLoop", dependencies: ["EventLoop"], path: "Tests/TestLoop", swiftSettings: settings),
    .target(name: "TestHTTP", dependencies: ["EventLoop"], path: "Tests/TestHTTP", swiftSettings: settings),
    .target(
      name: "Fixtures",
      dependencies: ["JSON"],
      path: "Tests/Fixtures",
      exclude: [
        "davinci", "journey", "jsontestsuite", "native-sdk-names.txt", "oidc", "orchestration-sdk-names.txt",
        "rfc", "wycheproof",
      ],
      swiftSettings: settings
    ),
    .target(
      name: "TestNetwork",
      dependencies: ["CLinux", "UnixSockets", "WebAddress"],
      path: "Tests/TestNetwork",
      exclude: ["server.py"],
      swiftSettings: settings
    ),

    // Tests mirror the sources.
    tests("ArchitectureTests", ["AuthctlCommands", "Configuration", "ControlAPI", "JSON"]),
    tests(
      "AuthctlTests",
      ["authctl", "AuthctlCommands", "EventLoop", "JSON", "Time", "UnixSockets"],
      exclude: ["Scenarios"]
    ),
    tests(
      "AuthenticatorTests",
      [
        "Authenticator", "Configuration", "ControlAPI", "EventLoop", "Fixtures", "JOSE", "JSON", "JSONRPC",
        "Journal", "OpenSSL", "SQLite", "TestLoop", "TestNetwork", "Time", "WebAddress",
      ]
    ),
    tests("ConfigurationTests", ["Configuration", "Journal", "WebAddress"]),
    tests("ControlAPITests", ["Configuration", "ControlAPI", "JSON", "JSONRPC", "Time"]),
    tests(
      "CourierLinkTests",
      [
        "CourierLink", "CourierProtocol", "EventLoop", "TestLoop", "TestNetwork", "UnixSockets", "WebAddress",
        "mfad-courier",
      ]
    ),
    tests("CourierProtocolTests", ["CourierProtocol", "WebAddress"]),
    tests(
      "CourierTests",
      [
        "Configuration", "Courier", "CourierProtocol", "EventLoop", "TestHTTP", "TestLoop", "TestNetwork",
        "UnixSockets", "WebAddress", "mfad-courier",
      ]
    ),
    tests("CurlClientTests", ["CurlClient", "EventLoop", "TestLoop", "TestNetwork", "WebAddress"]),
    tests(
      "DaemonTests",
      [
        "Authenticator", "Configuration", "ControlAPI", "Daemon", "EventLoop", "JSON", "JSONRPC", "Posture",
        "SQLite", "TestLoop", "TestNetwork", "Time", "UnixSockets", "WebAddress",
      ]
    ),
    tests("EventLoopTests", ["EventLoop", "TestLoop"]),
    tests("HTTPServerTests", ["HTTPServer", "EventLoop", "TestHTTP", "TestLoop"]),
    tests("JOSETests", ["JOSE", "OpenSSL", "Fixtures", "JSON"]),
    tests("JSONRPCTests", ["JSONRPC", "JSON"]),
    tests("JSONTests", ["JSON", "Fixtures"]),
    tests("JournalTests", ["Journal", "Time"]),
    tests("OpenSSLTests", ["OpenSSL", "Fixtures", "JSON"]),
    tests("PostureTests", ["Posture", "TestNetwork"]),
    tests("QRCodeTests", ["QRCode"]),
    tests("SQLiteTests", ["SQLite"]),
    tests(
      "PingOneTests",
      [
        "Authenticator", "Configuration", "ControlAPI", "CourierProtocol", "EventLoop", "JOSE", "JSON",
        "JSONRPC", "OpenSSL",
        "PingOne", "TestLoop", "WebAddress",
      ]
    ),
    tests(
      "SandboxTests",
      [
        "Sandbox", "EventLoop", "HTTPServer", "JOSE", "JSON", "OpenSSL", "TestHTTP", "TestLoop", "Time",
        "WebAddress",
      ]
    ),
    tests(
      "SignOnTests",
      [
        "Authenticator", "Configuration", "ControlAPI", "CourierLink", "CourierProtocol", "EventLoop",
        "Fixtures", "JOSE", "JSON", "JSONRPC", "Journal", "OpenSSL", "SignOn", "TestLoop", "TestNetwork",
        "Time",
        "UnixSockets", "WebAddress",
      ]
    ),
    tests("TimeTests", ["Time"]),
    tests("UnixSocketsTests", ["UnixSockets", "EventLoop", "TestLoop"]),
    tests("WebAddressTests", ["WebAddress"]),
  ]
)
