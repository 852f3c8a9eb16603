internal import EventLoop
internal import Glibc
internal import JSON
internal import OATHExports
internal import OpenSSL

/// The start of every run, made once by a separate machine: three paired owners with an HOTP passcode each.
@EventLoop
struct Template {
  let disk: Disk
  let state: Platform.State
  let key: PrivateKey
  let people: [History.Person]
  let secrets: [[UInt8]]

  struct Unmade: Error {
    let step: String
  }

  static let owners: [uid_t] = [1001, 1002, 1003]
  static let newcomers: [uid_t] = [1004, 1005]

  static func make(in directory: String) async throws -> Template {
    let world = World(seed: 0, tells: false)
    let (secrets, key) = (Secrets(), try PrivateKey.generateP256())
    let judge = Judge(world, secrets)
    let platform = Platform(Platform.State(), key: key, world, judge)
    let link = try Link(at: directory + "/courier", world, to: platform, secrets)
    let machine = try Machine(
      on: Disk(at: directory + "/first"),
      courier: directory + "/courier",
      in: world
    )
    var people: [History.Person] = []
    for owner in owners {
      let client = try Client(of: owner, at: machine, world, judge)
      people.append(try await person(client, platform))
      client.close()
    }
    try? await EventLoop.sleep(for: .seconds(5))
    try machine.emptyLog()
    let disk = try machine.crash(leaving: directory + "/template")
    link.end()
    guard world.violations.isEmpty else { throw Unmade(step: world.violations.joined(separator: "; ")) }
    return Template(
      disk: disk,
      state: platform.state,
      key: key,
      people: people,
      secrets: people.flatMap { [$0.timed?.secret, $0.counted?.secret].compactMap(\.self) }
    )
  }

  private static func person(_ client: Client, _ platform: Platform) async throws -> History.Person {
    let owner = client.owner
    var person = History.Person(owner: owner)
    let (key, user, secret) = (pairingKey("k-\(owner)"), "u-\(owner)", secret(owner, 1))
    platform.state.enrolments[key] = Platform.Enrolment(owner: owner, user: user, secret: secret)
    guard case .result(let paired) = await client.ask("pairing.pair", ["pairingKey": .string(key)]) else {
      throw Unmade(step: "pairing")
    }
    let counted = self.secret(owner, 2)
    let uri = JSON.string(countedURI(counted, of: owner, from: 0))
    guard case .result(let account) = await client.ask("passcode.import", ["uri": uri]),
      let id = account["id"]?.string, let first = paired["account"]?.string
    else { throw Unmade(step: "a passcode that counts: \(paired.brief)") }
    person.timed = (first, secret)
    person.counted = (id, counted)
    person.user = user
    person.device = platform.state.devices.first { $0.value.users[user] != nil }?.key
    return person
  }

  /// A secret that is recognized in any output.
  static func secret(_ owner: uid_t, _ number: Int) -> [UInt8] {
    Array("\(owner)/\(number)/canary-of-secrets".utf8.prefix(20))
  }

  /// The URI by which an owner imports an HOTP secret.
  static func countedURI(_ secret: [UInt8], of owner: uid_t, from counter: Int) -> String {
    "otpauth://hotp/Host:\(owner)?secret=\(Base32.encode(secret))&counter=\(counter)&issuer=Host"
  }

  /// A pairing key in the format of the platform of North America, derived from a name.
  static func pairingKey(_ name: String) -> String {
    let letters = Array("ABCDEFGHJK")
    let digits = name.utf8.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let text = digits.map { String(letters[Int($0 - UInt8(ascii: "0"))]) }.joined()
    return "01" + String(repeating: "A", count: max(0, 12 - text.count)) + text
  }
}
