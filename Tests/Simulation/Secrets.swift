internal import CSimulation
internal import CourierProtocol
internal import EventLoop
internal import JOSE
internal import OATHExports
internal import WebAddress

/// Searches output for the secrets of the owners' accounts, in every encoding in which they could leak.
@EventLoop
final class Secrets {
  private var forms: [[UInt8]] = []

  func add(_ secret: [UInt8]) {
    let hex = secret.map { String(UInt8($0), radix: 16).leftPadded }.joined()
    let standard = Base64URL.encode(secret).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
    let texts = [Base32.encode(secret), hex, hex.uppercased(), Base64URL.encode(secret), String(standard)]
    forms += [secret] + texts.map { Array($0.utf8) }
  }

  func look(at bytes: some Sequence<UInt8>, _ place: String, _ world: World) {
    let bytes = Array(bytes)
    guard !bytes.isEmpty else { return }
    let isFound = forms.contains { bytes_hold(bytes, bytes.count, $0, $0.count) }
    if isFound { world.violate("a secret is in \(place)") }
  }

  func look(at request: CourierRequest, _ world: World) {
    look(at: request.body, "what the courier carries", world)
    let header = request.headers.map { $0.value }.joined(separator: "\n")
    look(at: (request.url.text + "\n" + header).utf8, "what the courier carries", world)
  }
}

extension String {
  fileprivate var leftPadded: String { count == 1 ? "0" + self : self }
}
