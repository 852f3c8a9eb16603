internal import CCurl
import Glibc
internal import Text

/// The state of a transfer that libcurl's callbacks read and write.
///
/// The class needs no isolation: libcurl calls back only during calls that the client makes on the loop.
final class TransferState {
  /// The header fields of the latest response; the fields of interim responses are dropped.
  private(set) var headers: [(name: String, value: String)] = []
  /// The body bytes that have not been taken out.
  private(set) var body: [UInt8] = []
  /// True if a callback ended the transfer because of its size.
  private(set) var isTooLarge = false
  /// True if libcurl tried addresses of the host and all of them were forbidden.
  var wasRefused: Bool { refusedAddresses > 0 && permittedAddresses == 0 }
  /// Buffer for libcurl's error message.
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

  /// Appends a part of the body; returns false to end the transfer.
  func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard body.count + bytes.count <= maximumBody else {
      isTooLarge = true
      return false
    }
    body.append(contentsOf: bytes)
    return true
  }

  /// Reads a header line; returns false to end the transfer.
  func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
    headerBytes += bytes.count
    guard headerBytes <= Self.maximumHeaderBytes else {
      isTooLarge = true
      return false
    }
    // Fields after the body are trailers, which are ignored.
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

  /// Returns and removes the body bytes received so far.
  func takeOut() -> [UInt8] {
    defer { body = [] }
    return body
  }

  /// True if a connection to the address is permitted.
  func permits(_ address: UnsafePointer<sockaddr>) -> Bool {
    let isPermitted = NetworkAddress(address).map(permitted.permit) ?? false
    if isPermitted { permittedAddresses += 1 } else { refusedAddresses += 1 }
    return isPermitted
  }
}

// The callbacks are global functions, as C requires. Their context is the state of the transfer.

private func state(_ context: UnsafeMutableRawPointer) -> TransferState {
  Unmanaged<TransferState>.fromOpaque(context).takeUnretainedValue()
}

/// CURLOPT_WRITEFUNCTION: any result other than the number of bytes ends the transfer.
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

/// CURLOPT_HEADERFUNCTION: called with one header line; results as for CURLOPT_WRITEFUNCTION.
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

/// CURLOPT_OPENSOCKETFUNCTION: the only hook that can refuse the resolved address of a host.
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
