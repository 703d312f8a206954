"""What scapy and bumble make of bytes of Bluetooth LE, and the bytes that they write for the same fields.

Every line of the input is a question: `att`, `ad` or `ll`, a tab, bytes in hexadecimal digits, a tab, and fields as text;
or `crc`, bytes, and the number that the CRC begins with.
The answer is a line of four: scapy's fields, scapy's bytes, bumble's fields, bumble's bytes. Each reads the bytes of the
question by its own classes, and writes its fields by them. `-` stands where a library has no class for it; whatever it
raises stands there as it is, which is no field of anybody. All is asked in one process, since the libraries load slowly.
"""

import logging
import sys

logging.disable(logging.WARNING)
from bumble import att, core  # noqa: E402
from scapy.layers import bluetooth as bt  # noqa: E402
from scapy.layers import bluetooth4LE as le  # noqa: E402
from scapy.packet import raw  # noqa: E402


class Absent(Exception):
    """The library has no class for it."""


def hexa(data):
    return bytes(data).hex() or "."


def unhex(text):
    return b"" if text == "." else bytes.fromhex(text)


def listed(items):
    return ",".join(items) or "."


def unlisted(text):
    return [] if text == "." else text.split(",")


# ---- the attribute protocol ----------------------------------------------------------------------------------------

# Fields of one form: names in scapy, names in bumble, forms.
PLAIN = {
    0x01: ("Error_Response", "request handle ecode", "request_opcode_in_error attribute_handle_in_error error_code", "nnn"),
    0x02: ("Exchange_MTU_Request", "mtu", "client_rx_mtu", "n"),
    0x03: ("Exchange_MTU_Response", "mtu", "server_rx_mtu", "n"),
    0x04: ("Find_Information_Request", "start end", "starting_handle ending_handle", "nn"),
    0x06: (
        "Find_By_Type_Value_Request", "start end uuid data",
        "starting_handle ending_handle attribute_type attribute_value", "nnub"),
    0x08: ("Read_By_Type_Request", "start end uuid", "starting_handle ending_handle attribute_type", "nnu"),
    0x0A: ("Read_Request", "gatt_handle", "attribute_handle", "n"),
    0x0B: ("Read_Response", "value", "attribute_value", "b"),
    0x0C: ("Read_Blob_Request", "gatt_handle offset", "attribute_handle value_offset", "nn"),
    0x0D: ("Read_Blob_Response", "value", "part_attribute_value", "b"),
    0x0E: ("Read_Multiple_Request", "handles", "set_of_handles", "h"),
    0x0F: ("Read_Multiple_Response", "values", "set_of_values", "b"),
    0x10: ("Read_By_Group_Type_Request", "start end uuid", "starting_handle ending_handle attribute_group_type", "nnu"),
    0x12: ("Write_Request", "gatt_handle data", "attribute_handle attribute_value", "nb"),
    0x13: ("Write_Response", "", "", ""),
    0x16: ("Prepare_Write_Request", "gatt_handle offset data", "attribute_handle value_offset part_attribute_value", "nnb"),
    0x17: ("Prepare_Write_Response", "gatt_handle offset data", "attribute_handle value_offset part_attribute_value", "nnb"),
    0x18: ("Execute_Write_Request", "flags", "flags", "n"),
    0x19: ("Execute_Write_Response", "", "", ""),
    0x1B: ("Handle_Value_Notification", "gatt_handle value", "attribute_handle attribute_value", "nb"),
    0x1D: ("Handle_Value_Indication", "gatt_handle value", "attribute_handle attribute_value", "nb"),
    0x1E: ("Handle_Value_Confirmation", "", "", ""),
    0x20: ("Read_Multiple_Variable_Request", "handles", "set_of_handles", "h"),
    0x52: ("Write_Command", "gatt_handle data", "attribute_handle attribute_value", "nb"),
}


def pack(numbers, width=2):
    return b"".join(number.to_bytes(width, "little") for number in numbers)


def show(form, value):
    if form == "n":
        return str(int(value))
    if form == "b":
        return hexa(value)
    if form == "h":
        return listed(str(handle) for handle in value)
    if isinstance(value, core.UUID):
        return value.to_bytes()[::-1].hex()
    return f"{value:04x}"


def scapy_reads_att(data):
    packet = bt.ATT_Hdr(data)
    body = packet.payload
    code = packet.opcode
    if isinstance(body, bt.ATT_Read_By_Type_Request_128bit):
        return [str(body.start), str(body.end), f"{body.uuid2:016x}{body.uuid1:016x}"]
    if code == 0x10 and len(data) != 7 or code == 0xD2:
        raise Absent
    if code in PLAIN:
        name, names, _, forms = PLAIN[code]
        # An empty PDU of its kind has no class instance behind the header.
        if not names and not bytes(body):
            return []
        if not isinstance(body, getattr(bt, "ATT_" + name)):
            if forms == "b" and len(data) == 1:
                return ["."]
            raise ValueError(f"{code:02x} is {type(body).__name__}")
        return [show(form, getattr(body, one)) for form, one in zip(forms, names.split())]
    if code == 0x05:
        return [listed(f"{one.handle}={scapy_uuid(one.value)}" for one in body.handles)]
    if code == 0x07:
        return [listed(f"{one.handle}-{one.value}" for one in body.handles)]
    if code == 0x09:
        return [listed(f"{one.handle}={hexa(one.value)}" for one in body.handles)]
    if code == 0x11:
        return [listed(f"{one.handle}-{one.group_end_handle}={hexa(one.value)}" for one in body.handles)]
    if code == 0x21:
        return [listed(f"{one.len}={hexa(one.value)}" for one in body.values)]
    if code == 0x23:
        return [listed(f"{one.handle}={hexa(one.value)}" for one in body.handles)]
    raise Absent


def scapy_uuid(value):
    return f"{value:04x}" if isinstance(value, int) else value.hex


def scapy_writes_att(code, fields):
    if code == 0x08 and len(fields[2]) == 32:
        high, low = int(fields[2][:16], 16), int(fields[2][16:], 16)
        body = bt.ATT_Read_By_Type_Request_128bit(start=int(fields[0]), end=int(fields[1]), uuid1=low, uuid2=high)
    elif code == 0x10 and len(fields[2]) == 32 or code == 0xD2:
        raise Absent
    elif code in PLAIN:
        name, names, _, forms = PLAIN[code]
        values = {}
        for form, one, text in zip(forms, names.split(), fields):
            values[one] = {
                "n": lambda: int(text), "b": lambda: unhex(text), "u": lambda: int(text, 16),
                "h": lambda: [int(part) for part in unlisted(text)]}[form]()
        body = getattr(bt, "ATT_" + name)(**values)
    else:
        items = [part.replace("-", "=", 1).split("=") for part in unlisted(fields[0])]
        if code == 0x05:
            is_long = len(items[0][1]) == 32
            one = bt.ATT_Handle_UUID128 if is_long else bt.ATT_Handle
            from uuid import UUID
            body = bt.ATT_Find_Information_Response(
                format=2 if is_long else 1,
                handles=[one(handle=int(h), value=UUID(u) if is_long else int(u, 16)) for h, u in items])
        elif code == 0x07:
            body = bt.ATT_Find_By_Type_Value_Response(
                handles=[bt.ATT_Handle(handle=int(h), value=int(e)) for h, e in items])
        elif code == 0x09:
            body = bt.ATT_Read_By_Type_Response(
                len=2 + len(unhex(items[0][1])),
                handles=[bt.ATT_Handle_Variable(handle=int(h), value=unhex(v)) for h, v in items])
        elif code == 0x11:
            body = bt.ATT_Read_By_Group_Type_Response(
                len=4 + len(unhex(items[0][2])),
                handles=[
                    bt.ATT_Group_Handle_Variable(handle=int(h), group_end_handle=int(e), value=unhex(v))
                    for h, e, v in items])
        elif code == 0x21:
            body = bt.ATT_Read_Multiple_Variable_Response(
                values=[bt.ATT_Length_Value_Tuple(len=int(n), value=unhex(v)) for n, v in items])
        elif code == 0x23:
            body = bt.ATT_Multiple_Handle_Value_Notification(
                handles=[bt.ATT_Handle_Length_Value_Tuple(handle=int(h), value=unhex(v)) for h, v in items])
        else:
            raise Absent
    return raw(bt.ATT_Hdr(opcode=code) / body)


def bumble_reads_att(data):
    if data[0] in (0x23, 0xD2):
        raise Absent
    pdu = att.ATT_PDU.from_bytes(data)
    code = pdu.op_code
    if code in PLAIN:
        _, _, names, forms = PLAIN[code]
        return [show(form, getattr(pdu, one)) for form, one in zip(forms, names.split())]
    if code == 0x05:
        return [listed(f"{handle}={uuid[::-1].hex()}" for handle, uuid in pdu.information)]
    if code == 0x07:
        return [listed(f"{first}-{last}" for first, last in pdu.handles_information)]
    if code == 0x09:
        return [listed(f"{handle}={hexa(value)}" for handle, value in pdu.attributes)]
    if code == 0x11:
        return [listed(f"{first}-{last}={hexa(value)}" for first, last, value in pdu.attributes)]
    if code == 0x21:
        return [listed(f"{size}={hexa(value)}" for size, value in pdu.length_value_tuple_list)]
    raise Absent


def bumble_writes_att(code, fields):
    if code in PLAIN:
        name, _, names, forms = PLAIN[code]
        values = {}
        for form, one, text in zip(forms, names.split(), fields):
            values[one] = {
                "n": lambda: int(text), "b": lambda: unhex(text),
                "u": lambda: core.UUID.from_bytes(bytes.fromhex(text)[::-1]),
                "h": lambda: [int(part) for part in unlisted(text)]}[form]()
        return bytes(getattr(att, "ATT_" + name)(**values))
    if code in (0x23, 0xD2):
        raise Absent
    items = [part.replace("-", "=", 1).split("=") for part in unlisted(fields[0])]
    if code == 0x05:
        data = b"".join(pack([int(h)]) + bytes.fromhex(u)[::-1] for h, u in items)
        return bytes(att.ATT_Find_Information_Response(format=2 if len(items[0][1]) == 32 else 1, information_data=data))
    if code == 0x07:
        return bytes(
            att.ATT_Find_By_Type_Value_Response(
                handles_information_list=b"".join(pack([int(h), int(e)]) for h, e in items)))
    if code == 0x09:
        data = b"".join(pack([int(h)]) + unhex(v) for h, v in items)
        return bytes(att.ATT_Read_By_Type_Response(length=2 + len(unhex(items[0][1])), attribute_data_list=data))
    if code == 0x11:
        data = b"".join(pack([int(h), int(e)]) + unhex(v) for h, e, v in items)
        return bytes(att.ATT_Read_By_Group_Type_Response(length=4 + len(unhex(items[0][2])), attribute_data_list=data))
    if code == 0x21:
        return bytes(
            att.ATT_Read_Multiple_Variable_Response(length_value_tuple_list=[(int(n), unhex(v)) for n, v in items]))
    raise Absent


# ---- advertising data: the fields in one order, each under its name ------------------------------------------------

ORDER = ["flags", "services", "solicited", "data", "company", "power", "appearance", "name", "short-name"]


def ad_fields(found):
    lists = {name: [text for one, text in found if one == name] for name in ORDER}
    return [name + "=" + ",".join(lists[name]) for name in ORDER if lists[name]]


def scapy_reads_ad(data):
    found = []
    # The same field that scapy's advertisements have for their data.
    for header in le.BTLE_ADV_IND(b"\0" * 6 + data).data:
        body = header.payload
        kind = header.type
        if kind == 0x01:
            found.append(("flags", str(int(body.flags))))
        elif kind in (2, 3, 4, 5, 6, 7):
            width = 4 if kind < 4 else 8
            found += [("services", f"{one:0{width}x}" if isinstance(one, int) else one.hex) for one in body.svc_uuids]
        elif kind in (8, 9):
            found.append(("name" if kind == 9 else "short-name", hexa(body.local_name)))
        elif kind == 0x0A:
            found.append(("power", str(body.level)))
        elif kind in (0x14, 0x15, 0x1F):
            # scapy has one UUID of 16 bits there, where the standard has a list.
            if kind != 0x14 or header.len != 3:
                raise Absent
            found.append(("solicited", f"{body.svc_uuid:04x}"))
        elif kind in (0x16, 0x20, 0x21):
            width = 4 if kind == 0x16 else 8
            uuid = f"{body.svc_uuid:0{width}x}" if isinstance(body.svc_uuid, int) else body.svc_uuid.hex
            found.append(("data", uuid + ":" + hexa(raw(body.payload))))
        elif kind == 0x19:
            found.append(("appearance", str(body.category << 6 | body.subcategory)))
        elif kind == 0xFF:
            found.append(("company", f"{body.company_identifier:04x}:" + hexa(raw(body.payload))))
    return ad_fields(found)


def scapy_writes_ad(fields):
    from uuid import UUID
    packets = []

    def number(uuid):
        return UUID(uuid) if len(uuid) == 32 else int(uuid, 16)

    for field in fields:
        name, text = field.split("=", 1)
        parts = text.split(",")
        if name == "flags":
            packets.append(bt.EIR_Flags(flags=int(text)))
        elif name in ("services", "solicited"):
            for width, bits in ((4, 16), (8, 32), (32, 128)):
                uuids = [number(uuid) for uuid in parts if len(uuid) == width]
                if not uuids:
                    continue
                if name == "services":
                    packets.append(getattr(bt, f"EIR_CompleteList{bits}BitServiceUUIDs")(svc_uuids=uuids))
                elif bits != 16 or len(uuids) != 1:
                    raise Absent
                else:
                    packets.append(bt.EIR_ServiceSolicitation16BitUUID(svc_uuid=uuids[0]))
        elif name == "data":
            for part in parts:
                uuid, data = part.split(":")
                one = getattr(bt, f"EIR_ServiceData{len(uuid) * 4}BitUUID")(svc_uuid=number(uuid))
                packets.append(one / unhex(data) if unhex(data) else one)
        elif name == "company":
            for part in parts:
                company, data = part.split(":")
                one = bt.EIR_Manufacturer_Specific_Data(company_identifier=int(company, 16))
                packets.append(one / unhex(data) if unhex(data) else one)
        elif name == "power":
            packets.append(bt.EIR_TX_Power_Level(level=int(text)))
        elif name == "appearance":
            packets.append(bt.EIR_Appearance(category=int(text) >> 6, subcategory=int(text) & 63))
        elif name == "name":
            packets.append(bt.EIR_CompleteLocalName(local_name=unhex(text)))
        else:
            packets.append(bt.EIR_ShortenedLocalName(local_name=unhex(text)))
    return b"".join(raw(bt.EIR_Hdr() / one) for one in packets)


def bumble_reads_ad(data):
    found = []
    for kind, content in core.AdvertisingData.from_bytes(data).ad_structures:
        value = core.AdvertisingData.ad_data_to_object(kind, content)
        if kind == 0x01:
            found.append(("flags", str(value)))
        elif kind in (2, 3, 4, 5, 6, 7, 0x14, 0x15, 0x1F):
            name = "services" if kind < 8 else "solicited"
            found += [(name, one.uuid_bytes[::-1].hex()) for one in value]
        elif kind in (8, 9):
            found.append(("name" if kind == 9 else "short-name", hexa(value.encode())))
        elif kind == 0x0A:
            # bumble gives the byte, which is signed.
            found.append(("power", str(value - 256 if value > 127 else value)))
        elif kind in (0x16, 0x20, 0x21):
            found.append(("data", value[0].uuid_bytes[::-1].hex() + ":" + hexa(value[1])))
        elif kind == 0x19:
            found.append(("appearance", str(int(value))))
        elif kind == 0xFF:
            found.append(("company", f"{value[0]:04x}:" + hexa(value[1])))
    return ad_fields(found)


def bumble_writes_ad(fields):
    structures = []
    for field in fields:
        name, text = field.split("=", 1)
        parts = text.split(",")
        if name == "flags":
            structures.append((0x01, bytes([int(text)])))
        elif name in ("services", "solicited"):
            kinds = {4: 3, 8: 5, 32: 7} if name == "services" else {4: 0x14, 8: 0x1F, 32: 0x15}
            for width, kind in kinds.items():
                uuids = [core.UUID(uuid) for uuid in parts if len(uuid) == width]
                if uuids:
                    structures.append((kind, b"".join(bytes(uuid) for uuid in uuids)))
        elif name == "data":
            for part in parts:
                uuid, data = part.split(":")
                kind = {4: 0x16, 8: 0x20, 32: 0x21}[len(uuid)]
                structures.append((kind, bytes(core.UUID(uuid)) + unhex(data)))
        elif name == "company":
            for part in parts:
                company, data = part.split(":")
                structures.append((0xFF, pack([int(company, 16)]) + unhex(data)))
        elif name == "power":
            structures.append((0x0A, int(text).to_bytes(1, "little", signed=True)))
        elif name == "appearance":
            appearance = core.Appearance.from_int(int(text))
            structures.append((0x19, pack([int(appearance)])))
        else:
            structures.append((9 if name == "name" else 8, unhex(text)))
    return bytes(core.AdvertisingData(structures))


# ---- the link layer: advertising packets with access address and CRC ------------------------------------------------

BODIES = {
    0: (le.BTLE_ADV_IND, "AdvA", None), 1: (le.BTLE_ADV_DIRECT_IND, "AdvA", "InitA"),
    2: (le.BTLE_ADV_NONCONN_IND, "AdvA", None), 3: (le.BTLE_SCAN_REQ, "ScanA", "AdvA"),
    4: (le.BTLE_SCAN_RSP, "AdvA", None), 5: (le.BTLE_CONNECT_REQ, "InitA", "AdvA"),
    6: (le.BTLE_ADV_SCAN_IND, "AdvA", None),
}
REQUEST = "AA crc_init win_size win_offset interval latency timeout chM hop SCA".split()


def address(text):
    return text.replace(":", "")


def colons(text):
    return ":".join(text[place:place + 2] for place in range(0, 12, 2))


def scapy_reads_ll(data):
    packet = le.BTLE(data)
    header = packet[le.BTLE_ADV]
    kind, sender, target = BODIES[header.PDU_type]
    body = header.payload
    if type(body) is not kind:
        raise ValueError(f"a PDU of kind {header.PDU_type} is {type(body).__name__}")
    if header.Length != len(data) - 9:
        raise ValueError(f"a length of {header.Length}")
    fields = [str(header.PDU_type), str(header.TxAdd), str(header.RxAdd), str(header.ChSel), address(getattr(body, sender))]
    fields.append(address(getattr(body, target)) if target else ".")
    if header.PDU_type == 5:
        fields.append("/".join(str(getattr(body, one)) for one in REQUEST))
    else:
        fields.append(hexa(b"".join(raw(one) for one in body.data)) if not target else ".")
    # What scapy computes of the PDU, and not what stands there.
    fields.append(le.BTLE.compute_crc(data[4:-3]).hex())
    return fields


def scapy_writes_ll(fields):
    kind, sender, target = BODIES[int(fields[0])]
    values = {sender: colons(fields[4])}
    if target:
        values[target] = colons(fields[5])
    if fields[0] == "5":
        values.update(zip(REQUEST, map(int, fields[6].split("/"))))
    elif not target:
        values["data"] = le.BTLE_ADV_IND(b"\0" * 6 + unhex(fields[6])).data
    header = le.BTLE_ADV(PDU_type=int(fields[0]), TxAdd=int(fields[1]), RxAdd=int(fields[2]), ChSel=int(fields[3]))
    return raw(le.BTLE() / header / kind(**values))


# ---- questions and answers ------------------------------------------------------------------------------------------


def answer(work, *arguments):
    try:
        result = work(*arguments)
        return result.hex() if isinstance(result, bytes) else " ".join(result)
    except Absent:
        return "-"
    except Exception as error:  # whatever it is, the one who asked sees it
        return f"{type(error).__name__}: {error}".replace("\t", " ").replace("\n", " ")


def main():
    for line in sys.stdin:
        kind, digits, text = line.rstrip("\n").split("\t")
        data, fields = bytes.fromhex(digits), text.split()
        if kind == "att":
            code, rest = int(fields[0], 16), fields[1:]
            def with_code(read):
                return lambda data: [f"{data[0]:02x}"] + read(data)
            answers = [
                answer(with_code(scapy_reads_att), data), answer(scapy_writes_att, code, rest),
                answer(with_code(bumble_reads_att), data), answer(bumble_writes_att, code, rest)]
        elif kind == "ad":
            answers = [
                answer(scapy_reads_ad, data), answer(scapy_writes_ad, fields), answer(bumble_reads_ad, data),
                answer(bumble_writes_ad, fields)]
        elif kind == "crc":
            # scapy takes the three bytes as they stand in CONNECT_IND for a number with the highest first.
            start = int.from_bytes(int(text).to_bytes(3, "little"), "big")
            answers = [le.BTLE.compute_crc(data, start).hex(), "-", "-", "-"]
        else:
            answers = [answer(scapy_reads_ll, data), answer(scapy_writes_ll, fields), "-", "-"]
        print("\t".join(answers))


main()
