import OpenSSL
import Testing

@testable import PushRelay

@Suite("decryption of Web Push messages")
struct WebPushMessageTests {
  private let keys: WebPushKeys
  private let sender: WebPushSender
  private static let push = Array("push".utf8)

  init() throws {
    keys = try WebPushKeys(privateKey: .generateP256(), authSecret: .random(count: 16))
    sender = try WebPushSender(to: keys)
  }

  private func open(_ bytes: [UInt8]) throws -> [UInt8] { try keys.open(EncryptedMessage(bytes)) }

  private func fault(_ bytes: [UInt8]) throws -> WebPushFault? {
    do { _ = try open(bytes) } catch let fault as WebPushFault { return fault }
    return nil
  }

  @Test("any content and padding is decrypted, also empty content")
  func good() throws {
    for content in [[], Self.push, [0], [2], [2, 0, 0], [1, 0]] as [[UInt8]] {
      for padding in [0, 1, 16, 1000] {
        #expect(try open(sender.message(content, padding: padding)) == content)
      }
    }
  }

  @Test("a message is limited to 32 KiB")
  func largest() throws {
    let room = EncryptedMessage.maximumCount - 86 - 17
    let content = [UInt8](repeating: 7, count: room)
    let largest = try sender.message(content)
    #expect(try largest.count == 32 * 1024 && open(largest) == content)
    #expect(try fault(sender.message(content + [7])) == .length)
    #expect(try fault([UInt8](repeating: 0, count: 1 << 20)) == .length)
  }

  @Test("a truncated or extended message is rejected")
  func truncated() throws {
    let message = try sender.message(Self.push, padding: 3)
    for count in 0..<message.count {
      #expect(try fault(Array(message.prefix(count))) == (count < 86 + 17 ? .length : .notOurs), "\(count)")
    }
    #expect(try fault(message + [0]) == .notOurs)
  }

  @Test("a message with a flipped bit is rejected, except in the spare range of the record size")
  func changed() throws {
    let message = try sender.message(Self.push)
    for index in message.indices {
      for bit in 0..<8 {
        var changed = message
        changed[index] ^= 1 << UInt8(bit)
        let isSize = (16..<20).contains(index)
        let size = changed[16..<20].reduce(0) { $0 << 8 | Int($1) }
        let expected: WebPushFault? =
          switch index {
          case _ where isSize: size > message.count - 86 ? nil : .recordSize
          case 20, 21: .senderKey
          // With one coordinate changed, the point is not on the curve.
          case 22..<86: .senderKey
          default: .notOurs
          }
        #expect(try fault(changed) == expected, "bit \(bit) of byte \(index)")
      }
    }
  }

  @Test("a record size not above the record's length is rejected", arguments: [0, 1, 17, 18, 20, 21])
  func recordSize(size: Int) throws {
    #expect(try fault(sender.message(record: Self.push + [2], recordSize: size)) == .recordSize)
    #expect(try fault(sender.message(record: Self.push + [2], recordSize: 22)) == nil)
  }

  @Test("the minimum record size is 18")
  func smallestRecord() throws {
    #expect(try open(sender.message(record: [2], recordSize: 18)) == [])
    #expect(try fault(sender.message(record: [2], recordSize: 17)) == .recordSize)
    #expect(try fault(sender.message(record: [])) == .length)
  }

  @Test("a second record is rejected")
  func twoRecords() throws {
    let record = Self.push + [1]
    for more in [[UInt8](repeating: 0, count: 21), [0], [UInt8](repeating: 7, count: 18)] {
      let count = record.count + 16
      #expect(try fault(sender.message(record: record, recordSize: count, more: more)) == .recordSize)
      #expect(try fault(sender.message(record: record, recordSize: 4096, more: more)) == .notOurs)
    }
  }

  @Test(
    "content without a valid final delimiter is rejected",
    arguments: [[1], [1, 0, 0], [0], [0, 0, 0, 0], [3], [2, 1], [2, 0, 1, 0], [7, 7], [0x80]] as [[UInt8]]
  )
  func padding(record: [UInt8]) throws {
    #expect(try fault(sender.message(record: record)) == .padding)
    #expect(try fault(sender.message(record: Self.push + record)) == .padding)
  }

  @Test("the sender's key must be an uncompressed point on the curve")
  func senderKey() throws {
    let point = try #require(try PrivateKey.generateP256().publicKey.point)
    let zeros = [UInt8](repeating: 0, count: 64)
    let offCurve = Array(point.dropLast()) + [point[64] ^ 1]
    for wrong in [[4] + zeros, [0] + zeros, [3] + point[1...], [6] + point[1...], offCurve] as [[UInt8]] {
      #expect(try fault(sender.message(record: [2], point: wrong)) == .senderKey)
    }
    for count in [0, 1, 33, 64, 66, 255] {
      #expect(try fault(sender.message(record: [2], keyIDCount: count)) == .senderKey, "\(count)")
    }
    // Another sender's key is valid, but gives another shared secret.
    #expect(try fault(sender.message(record: [2], point: point)) == .notOurs)
  }

  @Test("a message for another key or another secret is rejected")
  func others() throws {
    let message = try EncryptedMessage(sender.message(Self.push))
    let otherKey = try WebPushKeys(privateKey: .generateP256(), authSecret: keys.authSecret)
    let otherSecret = try WebPushKeys(privateKey: keys.privateKey, authSecret: .random(count: 16))
    for others in [otherKey, otherSecret] {
      #expect(throws: WebPushFault.notOurs) { try others.open(message) }
    }
    #expect(try keys.open(message) == Self.push)
  }

  @Test("plain text and random data are rejected")
  func nonsense() throws {
    let jwt = Array(repeating: "eyJhbGciOiJIUzI1NiJ9.", count: 40).joined()
    for text in ["", "push", #"{"messageId":"a","message":"b"}"#, jwt, String(repeating: "A", count: 400)] {
      #expect(try fault(Array(text.utf8)) != nil, "\(text)")
    }
  }
}
