"""Checks that h11 reads the same from requests as another parser did.

    compare-with-h11.py FILE

A line of FILE has hexadecimal words, each after an x: the request's head without the empty line, its
method, its target, and the name and the value of each field.
"""

import sys

import h11


def read(head: bytes) -> list[bytes]:
    connection = h11.Connection(h11.SERVER)
    connection.receive_data(head + b"\r\n\r\n")
    request = connection.next_event()
    if not isinstance(request, h11.Request):
        raise ValueError(f"h11 returned {request!r}")
    words = [request.method, request.target]
    for name, value in request.headers:
        # h11 returns names and the word "chunked" in lower case.
        words += [name, value]
    return words


def main() -> None:
    count = 0
    with open(sys.argv[1], encoding="ascii") as file:
        for line in file:
            head, *wanted = [bytes.fromhex(word[1:]) for word in line.split()]
            for place in range(2, len(wanted), 2):
                wanted[place] = wanted[place].lower()
                if wanted[place] == b"transfer-encoding":
                    wanted[place + 1] = wanted[place + 1].lower()
            try:
                found = read(head)
            except (h11.RemoteProtocolError, ValueError) as error:
                sys.exit(f"{head!r}: {error}")
            if found != wanted:
                sys.exit(f"{head!r}: h11 reads {found}, the parser {wanted}")
            count += 1
    print(count, "requests agree")


main()
