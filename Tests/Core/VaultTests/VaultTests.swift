import Accounts
import ControlAPI
import Daemon
import EventLoop
import Glibc
import JSON
import JSONRPC
import Journal
import PingOne
import SQLite
import SignOn
import TestLoop
import TestNetwork
import TestPlatform
import Testing

@testable import Vault

@Suite("Vault", .serialized)
struct VaultTests {
  private static func mode(_ path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
  }

  private static let quiet: Void = { Journal.level = .error }()

  init() { Self.quiet }

  @EventLoop
  private static func use(_ vault: Vault) throws {
    _ = try vault.sealer.makeDataKey(SealLabel("account.data_key", row: "a", owner: 1))
    try vault.commit()
  }

  @Test("state files are accessible to the service user only")
  func permissions() async throws {
    try await TestLoop.run {
      let directory = try TestDirectory()
      let state = directory.path + "/state"
      let mask = umask(0)
      defer { umask(mask) }
      let vault = try Vault(directory: state, credential: "none", schema: DaemonSchema.current)
      try Self.use(vault)
      #expect(Self.mode(state) == 0o700)
      for name in ["key", "lock", "mfad.db", "mfad.db-wal", "mfad.db-shm"] {
        #expect(Self.mode("\(state)/\(name)") == 0o600, "\(name)")
      }
      #expect(Self.mode("\(state)/key.new") == nil)
      #expect(vault.sealer.source == "key-file")
      #expect(vault.databaseSize > 0)
    }
  }

  @Test("a missing, exposed or wrong key file is refused and not replaced")
  func keyFile() async throws {
    try await TestLoop.run {
      let directory = try TestDirectory()
      let state = directory.path + "/state"
      try Self.use(try Vault(directory: state, credential: "none", schema: DaemonSchema.current))
      let key = state + "/key"

      chmod(key, 0o640)
      var vault = try Vault(directory: state, credential: "none", schema: DaemonSchema.current)
      #expect(throws: RPCError.keyUnavailable.withCause(.keyExposed)) { try Self.use(vault) }
      #expect(vault.sealer.fault?.cause == "key-exposed" && vault.sealer.source == "unavailable")
      chmod(key, 0o600)
      #expect(throws: Never.self, "the same vault, when the reason is gone") { try Self.use(vault) }

      rename(key, key + ".away")
      vault = try Vault(directory: state, credential: "none", schema: DaemonSchema.current)
      #expect(throws: RPCError.keyUnavailable.withCause(.keyMissing)) { try Self.use(vault) }
      #expect(Self.mode(key) == nil, "no new key that opens nothing")

      for (count, cause) in [(32, ErrorCause.anotherKey), (31, .keyUnreadable), (0, .keyUnreadable)] {
        _ = try directory.write(String(repeating: "k", count: count), to: "state/key")
        #expect(throws: RPCError.keyUnavailable.withCause(cause)) { try Self.use(vault) }
        unlink(key)
      }
      symlink(key + ".away", key)
      let unreadable = RPCError.keyUnavailable.withCause(.keyUnreadable)
      #expect(throws: unreadable, "a link is not followed") { try Self.use(vault) }
      unlink(key)
      rename(key + ".away", key)
      #expect(throws: Never.self) { try Self.use(vault) }
    }
  }

  @Test("a systemd credential takes precedence over the key file")
  func credential() async throws {
    try await TestLoop.run {
      let directory = try TestDirectory()
      let state = directory.path + "/state"
      _ = try directory.write(String(repeating: "c", count: 40), to: "mfad.kek", mode: 0o444)
      setenv("CREDENTIALS_DIRECTORY", directory.path, 1)
      defer { unsetenv("CREDENTIALS_DIRECTORY") }
      let vault = try Vault(directory: state, credential: "mfad.kek", schema: DaemonSchema.current)
      try Self.use(vault)
      #expect(vault.sealer.source == "credential")
      #expect(Self.mode(state + "/key") == nil)
      unsetenv("CREDENTIALS_DIRECTORY")
      let without = try Vault(directory: state, credential: "mfad.kek", schema: DaemonSchema.current)
      #expect(throws: RPCError.keyUnavailable.withCause(.keyMissing)) { try Self.use(without) }
    }
  }

  @Test("a state directory in use is refused with the process id of its user")
  func lock() async throws {
    try await TestLoop.run {
      let directory = try TestDirectory()
      let script = """
        import fcntl, os, sys
        fd = os.open(sys.argv[1] + "/lock", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        print("held", flush=True)
        sys.stdin.read()
        """
      let other = try TestProgram(["python3", "-c", script, directory.path])
      #expect(try other.readLine() == "held")
      let failure = #expect(throws: StateLock.Failure.self) {
        try Vault(directory: directory.path, credential: "none", schema: DaemonSchema.current)
      }
      #expect(failure?.description == "the state directory is in use by process \(other.process)")
      _ = try other.readToEnd()
      #expect(other.waitForEnd() == 0)
      #expect(throws: Never.self) {
        try Vault(directory: directory.path, credential: "none", schema: DaemonSchema.current)
      }
    }
  }

  @Test("an unusable state directory is refused with the reason")
  func unusable() async throws {
    try await TestLoop.run {
      let directory = try TestDirectory()
      let file = try directory.write("", to: "file")
      for (path, reason) in [
        (file, "open \(file)/lock: Not a directory"),
        (file + "/a/state", "mkdir \(file)/a/state: Not a directory"),
      ] {
        let failure = #expect(throws: StateLock.Failure.self) {
          try Vault(directory: path, credential: "none", schema: DaemonSchema.current)
        }
        let text = "the state directory cannot be used: \(reason); --state-directory DIR names another"
        #expect(failure?.description == text)
      }
    }
  }

  @Test("a database with another layout or damaged content is refused")
  func versions() async throws {
    try await TestLoop.run {
      let directory = try TestDirectory()
      let state = directory.path + "/state"
      do {
        let vault = try Vault(directory: state, credential: "none", schema: DaemonSchema.current)
        try vault.database.executeScript("PRAGMA user_version = 1000")
      }
      let later = try Vault(directory: state, credential: "none", schema: DaemonSchema.current)
      let failure = #expect(throws: SQLiteError.self) { try later.database }
      #expect(failure?.kind == .newer)
      for name in ["mfad.db-wal", "mfad.db-shm"] { unlink("\(state)/\(name)") }
      _ = try directory.write(String(repeating: "no database ", count: 400), to: "state/mfad.db")
      let damaged = try Vault(directory: state, credential: "none", schema: DaemonSchema.current)
      #expect(#expect(throws: SQLiteError.self) { try damaged.database }?.kind == .corrupt)
      unlink(state + "/mfad.db")
      #expect(throws: Never.self, "the same vault, when the reason is gone") { try damaged.database }
    }
  }

  @Test("deleting all owners deletes every dependent row")
  func schema() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      _ = try bench.receive()
      _ = try bench.receive(["type": "cancel", "cancels": "later"])
      _ = try await bench.payloads.make(for: Bench.owner)
      _ = try await bench.codes.start("AB12CD34", owner: Bench.owner)
      try bench.sessions.keep([:], at: "https://auth.example/as", of: "u", owner: Bench.owner)
      _ = try bench.boundKeys.make(for: "u", named: "u", at: "s", owner: Bench.owner)
      let database = try bench.vault.database
      try database.run("DELETE FROM owner")
      let tables = try database.rows(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
      ) { $0.text(0) }
      #expect(tables.count == 31)
      let left = try database.row(
        """
        SELECT (SELECT count(*) FROM identity) + (SELECT count(*) FROM account) + (SELECT count(*) FROM pairing)
          + (SELECT count(*) FROM payload) + (SELECT count(*) FROM used_token) + (SELECT count(*) FROM seen)
          + (SELECT count(*) FROM approval) + (SELECT count(*) FROM cancelled_push) + (SELECT count(*) FROM oath)
          + (SELECT count(*) FROM identity_key) + (SELECT count(*) FROM pingone_account)
          + (SELECT count(*) FROM pingone_owner) + (SELECT count(*) FROM session) + (SELECT count(*) FROM bound_key)
        """
      ) { $0.int(0) }
      #expect(left == 0)
    }
  }

  @Test("no secret and no personal data is in the files in clear")
  func sealed() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      bench.platform.pairing.user = User(id: "u-1", username: "needle-user")
      try await bench.pair()
      _ = try bench.receive([
        "title": "needle-title", "body": "needle-body", "clientContext": "needle-context",
      ])
      _ = try await bench.codes.start("AB12CD34", owner: Bench.owner)
      for name in ["mfad.db", "mfad.db-wal"] {
        let output = try TestProgram.run([
          "python3", "-c",
          "import sys; d = open(sys.argv[1], 'rb').read(); print([n in d for n in (b'needle', b'12345678901234567890', b'desk', b'ann')], len(d) > 0)",
          "\(bench.statePath)/\(name)",
        ])
        #expect(output == "[False, False, False, False] True\n", "\(name)")
      }
    }
  }

  @Test("a row moved to another owner does not open")
  func moved() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      try await bench.pair(7)
      let database = try bench.vault.database
      try database.run("UPDATE account SET owner = 7 WHERE owner = ?", SQLValue(Bench.owner))
      try bench.crash()
      #expect(throws: (any Error).self) {
        try bench.passcode(of: nil, next: false, owner: 7)
      }
    }
  }

  @Test("two swapped values do not open")
  func swapped() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let database = try bench.vault.database
      try database.run(
        """
        UPDATE pingone_account SET user = (SELECT secret FROM oath WHERE oath.account = pingone_account.account)
        """
      )
      try database.run(
        "UPDATE oath SET secret = (SELECT label FROM account WHERE account.id = oath.account)"
      )
      try bench.crash()
      #expect(throws: (any Error).self) { try bench.accounts.list(of: Bench.owner) }
      #expect(throws: (any Error).self) {
        try bench.passcode(of: nil, next: false, owner: Bench.owner)
      }
    }
  }
}
