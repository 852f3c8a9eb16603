internal import CCurl
import Glibc
internal import Text

/// What libcurl's callbacks read and write for one transfer.
///
/// It belongs to no actor: libcurl calls only from inside calls that the client makes on the loop.
final class TransferState {
  /// The header fields of the latest response, interim ones forgotten.
  private(set) var headers: [(name: String, value: String)] = []
  /// What has come and was not taken out.
  private(set) var body: [UInt8] = []
  /// Whether a callback ended the transfer because there was too much.
  private(set) var isTooLarge = false
  /// Whether there were addresses and none that a connection may be made to.
  var wasRefused: Bool { refusedAddresses > 0 && permittedAddresses == 0 }
  /// Where libcurl writes what went wrong in words.
  let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  private let maximumBody: Int
  private let permitted: PermittedAddresses
  private var headerBytes = 0
  private var refusedAddresses = 0
  private var permittedAddresses = 0

  private static let maximumHeaderBytes = 64 * 1024

  init(maximumBody: Int, permitted: PermittedAddresses) {
    self.maximumBody = maximumBody
    self.permitted = permitted
    message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit { message.deallocate() }

  /// Takes a piece of the body; false ends the transfer.
  func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard body.count + bytes.count <= maximumBody else {
      isTooLarge = true
      return false
    }
    body.append(contentsOf: bytes)
    return true
  }

  /// Takes one header line; false ends the transfer.
  func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
    headerBytes += bytes.count
    guard headerBytes <= Self.maximumHeaderBytes else {
      isTooLarge = true
      return false
    }
    // What comes after the body are trailers, which nobody asked for.
    guard body.isEmpty else { return true }
    let line = String(decoding: bytes, as: UTF8.self)
    if line.hasPrefix("HTTP/") {
      headers = []
      return true
    }
    guard let colon = line.firstIndex(of: ":") else { return true }
    let value = line[line.index(after: colon)...]
    headers.append((String(line[..<colon]), String(value.trimmed)))
    return true
  }

  /// Takes out what has come of the body.
  func takeOut() -> [UInt8] {
    defer { body = [] }
    return body
  }

  /// Whether a connection to the address may be made.
  func permits(_ address: UnsafePointer<sockaddr>) -> Bool {
    let isPermitted = NetworkAddress(address).map(permitted.permit) ?? false
    if isPermitted { permittedAddresses += 1 } else { refusedAddresses += 1 }
    return isPermitted
  }
}

// The callbacks are functions of the file, for C; their context is the state of the transfer.

private func state(_ context: UnsafeMutableRawPointer) -> TransferState {
  Unmanaged<TransferState>.fromOpaque(context).takeUnretainedValue()
}

/// CURLOPT_WRITEFUNCTION: any other number than that of the bytes ends the transfer.
func curlDidReceiveBody(
  _ data: UnsafeMutablePointer<CChar>?,
  _ size: Int,
  _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  let bytes = UnsafeRawBufferPointer(start: data, count: size * count)
  return state(context).takeBody(bytes) ? bytes.count : Int(CURL_WRITEFUNC_ERROR)
}

/// CURLOPT_HEADERFUNCTION: the same for one header line.
func curlDidReceiveHeader(
  _ data: UnsafeMutablePointer<CChar>?,
  _ size: Int,
  _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  let bytes = UnsafeRawBufferPointer(start: data, count: size * count)
  return state(context).takeHeader(bytes) ? bytes.count : Int(CURL_WRITEFUNC_ERROR)
}

/// CURLOPT_OPENSOCKETFUNCTION: the one place in which the address that a name led to can still be refused.
func curlWillConnect(
  _ context: UnsafeMutableRawPointer?,
  _ purpose: curlsocktype,
  _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let context, let address, let socketAddress = ccurl_socket_address(address),
    state(context).permits(socketAddress)
  else { return CURL_SOCKET_BAD }
  let (family, type) = (address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue))
  return socket(family, type, address.pointee.protocol)
}
