import Glibc
import JSON
import Sandbox
import Testing

@Suite("pingone-sandbox", .timeLimit(.minutes(30)))
struct ProgramTests {
  @Test(
    "a usage error exits with 2",
    arguments: [
      ["--nonsense"], ["--port"], ["--port", "x"], ["--port", "65536"], ["--flows", "/nowhere"], ["--data"],
      ["--fresh"], ["--user", ":password"], ["--user", "ann:"], ["--users", "/nowhere"], ["push"], ["key"],
      ["key", "ann", "--region", "XX"],
      ["clock", "1h"], ["clock", "+1y"], ["clock", "+99999999999d"], ["code", "--seconds", "x"],
      ["fault", "/", "--count", "x"], ["fault", "/"], ["fault", "--drop"],
      ["fault", "/", "--drop", "--garbage"], ["fault", "--method", "GET", "--count", "2"],
      ["fault", "--clear", "--count", "2"], ["pusch"], ["completion"], ["completion", "tcsh"],
      ["completion", "words", "-"],
    ]
  )
  func wrongUsage(_ arguments: [String]) { #expect(run(arguments) == 2) }

  @Test("help and version exit with 0")
  func help() {
    for words in [["--help"], ["push", "-h"], ["clock", "--help"], ["completion", "-h"], ["--version"]] {
      #expect(run(words) == 0)
    }
  }

  private func run(_ arguments: [String]) -> Int32 { SandboxProgram.run(["pingone-sandbox"] + arguments) }

  @Test(
    "the program prints one line with its URL and exits at a signal",
    arguments: [SIGTERM, SIGINT]
  )
  func serving(_ signal: Int32) throws {
    // The programs are built next to the test program.
    let program = CommandLine.arguments[0].split(separator: "/", omittingEmptySubsequences: false)
    let path = program.dropLast().joined(separator: "/") + "/pingone-sandbox"
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    posix_spawn_file_actions_addclose(&actions, ends[0])
    defer { posix_spawn_file_actions_destroy(&actions) }
    var arguments: [UnsafeMutablePointer<CChar>?] = [
      strdup(path), strdup("--flows"), strdup(Bench.flows), nil,
    ]
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    try #require(posix_spawn(&process, path, &actions, nil, &arguments, environ) == 0)
    close(ends[1])
    defer { close(ends[0]) }
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while read(ends[0], &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
    let about = try JSON(parsing: line)
    let names = [
      "url", "issuer", "environment", "clientId", "application", "platformKey", "adminToken", "users",
    ]
    #expect(about.object?.names == names)
    #expect(kill(process, signal) == 0)
    var status: Int32 = 0
    #expect(waitpid(process, &status, 0) == process)
    #expect(status == 0)
  }
}
