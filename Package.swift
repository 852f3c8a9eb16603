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

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let package = Package(
  name: "mfad",
  targets: [
    // C: what Swift cannot import by itself.
    .target(name: "CLinux"),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),

    // Leaves.
    module("Time"),
    module("Journal"),
    module("WebAddress"),
    module("Configuration", ["Journal", "WebAddress"]),
    module("EventLoop", ["CLinux", "Time"]),

    // Wrappers: one owner for each C library or kernel interface.
    module("UnixSockets", ["CLinux", "EventLoop"]),
    module("SQLite", ["CSQLite"]),
    module("OpenSSL", ["COpenSSL"]),
    module("CurlClient", ["CCurl", "EventLoop", "Time", "WebAddress"]),

    // Formats.
    module("JSON"),
    module("JOSE", ["JSON", "OpenSSL"]),
    module("JSONRPC", ["JSON"]),

    // The interface: shapes, classes and the method table.
    module("ControlAPI", ["Configuration", "JSON", "JSONRPC", "Time"]),

    // The domain.
    module(
      "Authenticator",
      [
        "Configuration", "ControlAPI", "EventLoop", "JOSE", "JSON", "JSONRPC", "Journal", "OpenSSL", "SQLite",
        "Time", "WebAddress",
      ]
    module("CourierProtocol", ["JSON", "Time", "WebAddress"]),

    // Adapters.
      "CourierLink",
      ["CLinux", "CourierProtocol", "EventLoop", "Journal", "Time", "UnixSockets", "WebAddress"]
    ),

    // Shells and executables.
    module(
      "Courier",
      [
        "CLinux", "Configuration", "CourierProtocol", "CurlClient", "EventLoop", "Journal", "UnixSockets",
        "WebAddress",
      ]
    ),
    program("mfad-courier", ["Courier"]),

    // Tests mirror the sources.
    // What several of them use: a loop, and the files of others with the code that reads them.
    .target(name: "TestLoop", dependencies: ["EventLoop"], path: "Tests/TestLoop", swiftSettings: settings),
    .target(
      name: "TestNetwork",
      dependencies: ["UnixSockets", "WebAddress"],
      path: "Tests/TestNetwork",
      exclude: ["server.py"],
      swiftSettings: settings
    ),
    tests("JSONTests", ["JSON"]),
    tests("JSONRPCTests", ["JSONRPC", "JSON"]),
    tests("ControlAPITests", ["ControlAPI", "JSON", "JSONRPC"]),
    tests("TimeTests", ["Time"]),
    tests("WebAddressTests", ["WebAddress"]),
    tests("ConfigurationTests", ["Configuration", "Journal", "WebAddress"]),
    tests("EventLoopTests", ["EventLoop", "TestLoop"]),
    tests("SQLiteTests", ["SQLite"]),
    tests("UnixSocketsTests", ["UnixSockets", "EventLoop", "TestLoop"]),

    .target(
      name: "Fixtures",
      dependencies: ["JSON"],
      path: "Tests/Fixtures",
      exclude: ["rfc", "wycheproof"],
      swiftSettings: settings
    ),
    tests("OpenSSLTests", ["OpenSSL", "Fixtures", "JSON"]),
    tests("JOSETests", ["JOSE", "OpenSSL", "Fixtures", "JSON"]),
    tests("CurlClientTests", ["CurlClient", "EventLoop", "TestLoop", "TestNetwork", "WebAddress"]),
    tests("CourierProtocolTests", ["CourierProtocol", "WebAddress"]),
  ]
)
