import ControlClient
import Glibc
import JSONRPC
import Testing
import UnixSockets

extension AuthctlTests {
  /// Tests the check of the socket's owner and directories, which fails with exit code 11.
  ///
  /// The directories are real. Tests with another owner require root.
  @Suite("socket trust", .serialized)
  final class SocketTrustTests {
    private let root: String
    private let isRoot = geteuid() == 0

    init() throws { root = try TemporaryDirectory.make() }

    deinit { TemporaryDirectory.remove(root) }

    private func directory(_ name: String, mode: mode_t = 0o755, owner: uid_t? = nil) -> String {
      let path = "\(root)/\(name)"
      mkdir(path, 0o700)
      chmod(path, mode)
      if let owner { chown(path, owner, gid_t.max) }
      return path
    }

    private func isTrusted(_ check: () throws -> Void) -> Bool {
      do { try check() } catch {
        #expect((error as? Failure)?.exitCode == .notTheDaemon)
        return false
      }
      return true
    }

    @Test("a sticky directory is accepted as an ancestor and rejected as the socket's directory")
    func sticky() {
      let trust = SocketTrust()
      let shared = directory("shared", mode: 0o1777)
      let own = directory("shared/own", mode: 0o700)
      #expect(isTrusted { try trust.checkDirectories(of: own + "/s") })
      #expect(!isTrusted { try trust.checkDirectories(of: shared + "/s") })
    }

    @Test(
      "a directory writable by others is rejected at every level",
      arguments: [0o777, 0o775, 0o757] as [mode_t]
    )
    func writable(mode: mode_t) {
      let trust = SocketTrust()
      let shared = directory("shared", mode: mode)
      let own = directory("shared/own", mode: 0o700)
      #expect(!isTrusted { try trust.checkDirectories(of: own + "/s") })
      #expect(!isTrusted { try trust.checkDirectories(of: shared + "/s") })
    }

    @Test("a directory of another user is rejected, and one of root accepted")
    func owner() {
      guard isRoot else {
        // Without root the test cannot change an owner, so the caller is another user instead.
        #expect(!isTrusted { try SocketTrust(caller: geteuid() + 1).checkDirectories(of: root + "/s") })
        return
      }
      let foreign = directory("foreign", mode: 0o700, owner: 65533)
      #expect(!isTrusted { try SocketTrust().checkDirectories(of: foreign + "/s") })
      #expect(isTrusted { try SocketTrust(caller: 65533).checkDirectories(of: foreign + "/s") })
      #expect(!isTrusted { try SocketTrust(caller: 65532).checkDirectories(of: foreign + "/s") })
    }

    @Test("root is trusted everywhere, the caller outside the system directory, others nowhere")
    func peers() {
      let trust = SocketTrust(systemDirectory: root + "/run", caller: 1000)
      for path in [root + "/run/mfad.sock", root + "/other/mfad.sock", root + "/runner/mfad.sock"] {
        let isSystem = path.hasPrefix(root + "/run/")
        #expect(isTrusted { try trust.check(peer: 0, at: path) })
        #expect(isTrusted { try trust.check(peer: 1000, at: path) } == !isSystem)
        #expect(!isTrusted { try trust.check(peer: 1001, at: path) })
      }
    }

    @Test("the service user is the owner of a directory that only root can create")
    func serviceUser() {
      guard isRoot else {
        // A directory not owned by root proves nothing.
        let run = directory("run")
        _ = directory("run/owner")
        let trust = SocketTrust(systemDirectory: run, caller: geteuid() + 1)
        #expect(!isTrusted { try trust.check(peer: geteuid(), at: run + "/mfad.sock") })
        return
      }
      let run = directory("run")
      _ = directory("run/owner", mode: 0o700, owner: 64000)
      let trust = SocketTrust(systemDirectory: run, caller: 1000)
      #expect(isTrusted { try trust.check(peer: 64000, at: run + "/mfad.sock") })
      #expect(isTrusted { try trust.check(peer: 64000, at: "/srv/mfad.sock") })
      #expect(isTrusted { try trust.checkDirectories(of: run + "/mfad.sock") })
      #expect(isTrusted { try trust.checkDirectories(of: run + "/owner/mfad.sock") })
      for (mode, owner) in [(0o777, 0), (0o775, 0), (0o1777, 0), (0o755, 64000), (0o755, 1000)]
        as [(mode_t, uid_t)]
      {
        chmod(run, mode)
        chown(run, owner, gid_t.max)
        #expect(!isTrusted { try trust.check(peer: 64000, at: run + "/mfad.sock") })
      }
    }

    @Test("the overflow user is trusted only in the system directory")
    func namespaces() {
      let overflowUserID = geteuid() + 1
      let system = root + "/run"
      let within = SocketTrust(systemDirectory: system, caller: geteuid(), overflowUserID: overflowUserID)
      let without = SocketTrust(systemDirectory: system, caller: geteuid(), overflowUserID: nil)
      for path in [system + "/mfad.sock", root + "/other/mfad.sock"] {
        let isSystem = path.hasPrefix(system + "/")
        #expect(isTrusted { try within.check(peer: overflowUserID, at: path) } == isSystem)
        #expect(!isTrusted { try without.check(peer: overflowUserID, at: path) })
      }
      guard isRoot else { return }
      let directories = [directory("run", owner: overflowUserID), directory("other", owner: overflowUserID)]
      for path in directories {
        let isSystem = path == system
        #expect(isTrusted { try within.checkDirectories(of: path + "/mfad.sock") } == isSystem)
        #expect(!isTrusted { try without.checkDirectories(of: path + "/mfad.sock") })
        chmod(path, 0o777)
        #expect(!isTrusted { try within.checkDirectories(of: path + "/mfad.sock") })
      }
      // In a directory where every user can create entries, a subdirectory may belong to any user.
      let inner = directory("run/inner", owner: overflowUserID)
      let above = SocketTrust(systemDirectory: inner, caller: geteuid(), overflowUserID: overflowUserID)
      for (mode, isSafe) in [(0o755, true), (0o1777, false)] as [(mode_t, Bool)] {
        chmod(system, mode)
        #expect(isTrusted { try above.checkDirectories(of: inner + "/mfad.sock") } == isSafe)
      }
    }

    @Test("a caller with the overflow user's id is trusted only in the system directory")
    func indistinct() {
      let caller = isRoot ? 1000 : geteuid()
      let trust = SocketTrust(systemDirectory: root + "/run", caller: caller, overflowUserID: caller)
      let other = directory("other", owner: caller)
      #expect(!isTrusted { try trust.check(peer: caller, at: other + "/mfad.sock") })
      #expect(!isTrusted { try trust.checkDirectories(of: other + "/mfad.sock") })
      #expect(isTrusted { try trust.check(peer: caller, at: root + "/run/mfad.sock") })
    }

    @Test("a symbolic link instead of the owner's directory proves nothing")
    func link() {
      let run = directory("run")
      let other = directory("other", mode: 0o700, owner: isRoot ? 64000 : nil)
      symlink(other, run + "/owner")
      let trust = SocketTrust(systemDirectory: run, caller: 1000)
      #expect(!isTrusted { try trust.check(peer: 64000, at: run + "/mfad.sock") })
    }
  }

  @Suite("choice of the socket", .serialized)
  final class SocketChoiceTests {
    private let root: String

    init() throws { root = try TemporaryDirectory.make() }

    deinit { TemporaryDirectory.remove(root) }

    private func choice(flag: String? = nil, _ environment: [String: String] = [:]) -> SocketChoice {
      let trust = SocketTrust(systemDirectory: root + "/run")
      return SocketChoice(flag: flag, environment: { environment[$0] }, trust: trust)
    }

    @Test("the flag precedes the environment, the system's socket and the user's socket")
    func order() {
      #expect(choice(flag: "/f", ["MFAD_SOCKET": "/e"]).paths == ["/f"])
      #expect(choice(["MFAD_SOCKET": "/e", "XDG_RUNTIME_DIR": "/x"]).paths == ["/e"])
      #expect(choice(["XDG_RUNTIME_DIR": "/x"]).paths == [root + "/run/mfad.sock", "/x/mfad/mfad.sock"])
      #expect(choice().paths.last == "/run/user/\(geteuid())/mfad/mfad.sock")
    }

    @Test("the user's socket is used if the system's has no listener")
    func fallback() throws {
      for path in ["run", "user", "user/mfad"] {
        mkdir("\(root)/\(path)", 0o700)
        chmod("\(root)/\(path)", 0o700)
      }
      let ended = try UnixSocket.listen(at: root + "/run/mfad.sock", mode: 0o600)
      // A process that another test starts may briefly hold a copy, which would keep listening after a close.
      shutdown(ended.number, Int32(SHUT_RDWR))
      let listener = try UnixSocket.listen(at: root + "/user/mfad/mfad.sock", mode: 0o600)
      _ = try choice(["XDG_RUNTIME_DIR": root + "/user"]).connect(within: .seconds(600))
      #expect(try UnixSocket.accept(from: listener) != nil)
    }

    @Test("a listener that does not accept connections times out")
    func fullBacklog() throws {
      let path = root + "/s"
      let listener = try UnixSocket.listen(at: path, mode: 0o600, backlog: 0)
      let first = try UnixSocket.connect(to: path)
      let failure = #expect(throws: Failure.self) {
        try choice(flag: path).connect(within: .milliseconds(50))
      }
      #expect(failure?.exitCode == .unreachable)
      withExtendedLifetime((listener, first)) {}
    }
  }
}
