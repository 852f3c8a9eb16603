import CLinux
import Glibc
import TestNetwork
import Testing

@Suite("Confinement", .timeLimit(.minutes(30)))
struct ConfinementTests {
  /// Attempts that succeed without confinement on every machine.
  private static let unconfined = [
    "read the key", "overwrite the key", "make a file in the state", "list the state",
    "read the configuration",
    "overwrite the configuration", "read another file", "make another file", "read the hosts",
    "list processes",
    "make a Unix socket", "make an Internet socket", "connect to an abstract socket", "start a thread",
    "start the courier", "start another program", "signal a child", "signal itself", "signal another",
    "read another's memory", "use the kernel's keys",
  ]
  /// Attempts that every profile refuses, with the result.
  private static let always = [
    "overwrite the configuration": "EACCES", "make another file": "EACCES",
    "make a packet socket": "EAFNOSUPPORT",
    "connect to an abstract socket": "scoped", "signal another": "EPERM", "trace another": "EPERM",
    "read another's memory": "EPERM", "take another's descriptor": "EPERM", "make a namespace": "EPERM",
    "use io_uring": "EPERM", "use the kernel's keys": "EPERM", "type into the terminal": "EPERM",
    "make a newer call": "ENOSYS",
  ]
  /// Further attempts that are refused if the process must not start programs.
  private static let alone = [
    "start the courier": "EPERM", "start another program": "EPERM", "signal a child": "EPERM",
  ]

  /// Calls that succeed without confinement on every machine.
  ///
  /// The others need an object or a file system that this machine may lack.
  private static let unconfinedCalls = [
    "fchmod", "fchmodat", "fchown", "fchownat", "utimensat", "prlimit64", "setpriority", "sched_setscheduler",
    "ioprio_set", "socketpair", "F_SETOWN", "F_SETSIG", "pidfd_open", "tkill",
  ]

  /// Runs the probe and returns the active mechanisms and the result of each failed attempt.
  private func refusals(of profile: String) throws -> (inForce: String, refusals: [String: String]) {
    let directory = try TestDirectory()
    for name in ["state", "conf"] { #expect(mkdir("\(directory.path)/\(name)", 0o700) == 0) }
    for name in ["state/key", "conf/mfad.conf", "other"] { _ = try directory.write("\n", to: name) }
    let victim = try TestProgram(["sleep", "600"])
    let abstract = "mfad-probe-\(getpid())-\(profile)"
    let listener = try TestProgram([TestProgram.python, "-c", Self.listening, abstract])
    #expect(try listener.readLine() == "listening")
    let output = try TestProgram.run([
      TestPath.program("confinement-probe"), profile, directory.path, TestPath.program("mfad-courier"),
      "\(victim.process)", abstract,
    ])
    var outcomes: [String: String] = [:]
    for line in output.split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1)
      outcomes[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
    }
    #expect(outcomes.count >= 28)
    let calls = outcomes.filter { $0.key.hasPrefix("call ") }
    #expect(calls.count >= 36)
    if profile == "none" {
      let refused = Self.unconfinedCalls.filter { calls["call " + $0] != "done" }
      #expect(refused == [], "the attempts cannot succeed: \(calls)")
    } else {
      #expect(calls.filter { $0.value != "EPERM" } == [:])
    }
    outcomes = outcomes.filter { calls[$0.key] == nil }
    return (outcomes.removeValue(forKey: "in force") ?? "", outcomes.filter { $0.value != "done" })
  }

  private static let listening = """
    import socket, sys
    one = socket.socket(socket.AF_UNIX)
    one.bind("\\0" + sys.argv[1])
    one.listen()
    print("listening", flush=True)
    sys.stdin.read()
    """

  private static let landlock = min(Int(clinux_landlock_version()), 6)
  /// The mechanisms that this kernel supports.
  private static let whole =
    "no-new-privileges,\(landlock > 0 ? "landlock:\(landlock)," : "")seccomp"

  /// Returns the refusals that this kernel can enforce.
  private static func possible(_ refusals: [String: String]...) -> [String: String] {
    let all = refusals.reduce(into: [:]) { $0.merge($1) { $1 } }
    return all.filter { _, outcome in
      outcome == "scoped" ? landlock >= 6 : outcome != "EACCES" || landlock > 0
    }.mapValues { $0 == "scoped" ? "EPERM" : $0 }
  }

  @Test("an unconfined process may do everything that the profiles refuse")
  func without() throws {
    let refused = try refusals(of: "none").refusals
    #expect(Set(refused.keys).isDisjoint(with: Self.unconfined), "\(refused)")
  }

  @Test("courier profile allows network and configuration, but no state, process or program")
  func courier() throws {
    let (inForce, refusals) = try refusals(of: "courier")
    #expect(inForce == Self.whole)
    let own = [
      "read the key": "EACCES", "overwrite the key": "EACCES", "make a file in the state": "EACCES",
      "list the state": "EACCES", "read another file": "EACCES", "list processes": "EACCES",
      "make a Unix socket": "EAFNOSUPPORT", "connect to an abstract socket": "EAFNOSUPPORT",
    ]
    #expect(refusals == Self.possible(Self.always, Self.alone, own))
  }

  @Test("daemon profile with a separate courier allows state, but no network, process or program")
  func daemon() throws {
    let (inForce, refusals) = try refusals(of: "daemon")
    #expect(inForce == Self.whole)
    let own = ["make an Internet socket": "EAFNOSUPPORT", "read another file": "EACCES"]
    #expect(refusals == Self.possible(Self.always, Self.alone, own))
  }

  @Test("daemon profile with a child courier may start and signal only the courier")
  func daemonWithChild() throws {
    let (inForce, refusals) = try refusals(of: "daemon-with-child")
    #expect(inForce == Self.whole)
    let own = [
      "start another program": "EACCES", "read another file": "EACCES", "signal another": "scoped",
    ]
    #expect(refusals == Self.possible(Self.always, own))
  }
}
