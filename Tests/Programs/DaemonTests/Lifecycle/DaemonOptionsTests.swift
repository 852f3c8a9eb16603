import Configuration
import TestNetwork
import Testing
import Usage
import WebAddress

@testable import Daemon

@Suite("mfad's command line")
struct DaemonOptionsTests {
  private static func options(_ arguments: String...) throws -> DaemonOptions {
    try DaemonOptions(parsing: arguments[...])
  }

  @Test("every option is parsed")
  func all() throws {
    let options = try Self.options(
      "--config",
      "/c",
      "--socket",
      "/s",
      "--state-directory",
      "/d",
      "--platform",
      "https://p.example",
      "--check-config",
      "--list-kept-owners",
      "--restore=/b"
    )
    #expect(options.configurationFile == "/c" && options.socket == "/s" && options.stateDirectory == "/d")
    #expect(options.platform?.text == "https://p.example/")
    #expect(options.checksConfiguration && options.listsKeptOwners && options.restoredFile == "/b")
    let none = try Self.options()
    #expect(none.configurationFile == nil && none.socket == nil && none.platform == nil)
    #expect(!none.checksConfiguration && !none.listsKeptOwners && none.restoredFile == nil)
  }

  @Test("an invalid argument is rejected and named, without its value")
  func refused() {
    let cases: [([String], String)] = [
      (["--colour"], "no option \"--colour\""), (["x"], "unknown argument 1"),
      (["--sokcet"], "no option \"--sokcet\""), (["-x"], "no option \"-x\""),
      (["--config"], "--config needs a value: --config FILE"),
      (["--socket", ""], "--socket needs a value: --socket PATH"),
      (["--socket="], "--socket needs a value: --socket PATH"),
      (["--state-directory"], "--state-directory needs a value: --state-directory DIR"),
      (["--restore", "--recover"], "--restore needs a value: --restore FILE"),
      (["--platform", "p.example"], "--platform takes an absolute URL"),
      (["--config", "/c", "--config", "/d"], "--config is given twice"),
      (["--recover", "--recover"], "--recover is given twice"),
      // A value given by mistake may be a secret.
      (["--recover", "ABCD-EFGH"], "--recover takes no value"),
      (["--recover=ABCD-EFGH"], "--recover takes no value"),
      (["--restore", "/b", "ABCD-EFGH"], "--restore takes one value"),
      (["--key=ABCD-EFGH"], "no option \"--key\""),
      (["ABCD-EFGH", "--recover"], "unknown argument 1"),
      (["--recover", "-ABCD-EFGH"], "unknown argument 2"),
      (["--recover", "--ABCD-EFGH"], "unknown argument 2"),
    ]
    for (arguments, message) in cases {
      let error = #expect(throws: UsageError.self) { try DaemonOptions(parsing: arguments[...]) }
      #expect(error?.description == message)
    }
    let error = #expect(throws: UsageError.self) { try DaemonOptions(parsing: ["--sokcet"]) }
    #expect(error?.hint == "did you mean --socket?")
  }

  @Test("the help names every option, and every named option is parsed")
  func help() throws {
    let words = DaemonOptions.usage.help.split { " \n[],;".contains($0) }.filter { $0.hasPrefix("--") }
    #expect(Set(words).count == 12)
    for word in Set(words) {
      let value = word == "--platform" ? "https://p.example" : "/x"
      let takesValue = ["--config", "--socket", "--state-directory", "--platform", "--restore"].contains(word)
      #expect(throws: Never.self, "\(word)") {
        try DaemonOptions(parsing: [String(word), value].prefix(takesValue ? 2 : 1))
      }
    }
  }

  @Test("--platform replaces the platforms of the file and follows the same rules")
  func platform() throws {
    let directory = try TestDirectory()
    let file = try directory.write(
      "platform = https://a.example\nplatform = Europe=https://b.example\n",
      to: "conf"
    )
    let plain = try Self.options("--config", file).configuration()
    #expect(plain.platform(for: .europe)?.text == "https://b.example/")
    let replaced = try Self.options("--config", file, "--platform", "https://c.example").configuration()
    #expect(Geography.allCases.allSatisfy { replaced.platform(for: $0)?.text == "https://c.example/" })
    #expect(throws: ConfigurationError.self) {
      try Self.options("--config", file, "--platform", "http://127.0.0.1:1").configuration()
    }
    #expect(throws: ConfigurationError.self) {
      try Self.options("--config", directory.path + "/none").configuration()
    }
  }
}
