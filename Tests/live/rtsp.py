#!/usr/bin/env python3
"""Serves a clip over RTSP to one client after the other, as a network camera does: what `veil live -i rtsp://…` reads.

usage: rtsp.py CLIP [PORT]

Prints the address, then serves until it is ended. The picture has to be H.264; it is played again and again. RTP goes over
UDP, sent by an ffmpeg for each client; sound is left out. Just enough of RFC 2326 for FFmpeg and VLC.
Needs: python3, ffmpeg.
"""
import ctypes, re, signal, socket, subprocess, sys


def serve(connection, clip):
    sender, port = None, 0
    lines = connection.makefile("rb")
    try:
        while True:
            request = lines.readline().decode().split()
            if not request:
                return
            headers = {}
            while (line := lines.readline().decode().strip()):
                name, value = line.split(":", 1)
                headers[name.lower()] = value.strip()
            more, body = "", ""
            if request[0] == "OPTIONS":
                more = "Public: DESCRIBE, SETUP, PLAY, TEARDOWN\r\n"
            elif request[0] == "DESCRIBE":
                body = ("v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=clip\r\nc=IN IP4 0.0.0.0\r\nt=0 0\r\nm=video 0 RTP/AVP 96\r\n"
                        "a=rtpmap:96 H264/90000\r\na=fmtp:96 packetization-mode=1\r\na=control:track1\r\n")
                more = "Content-Type: application/sdp\r\n"
            elif request[0] == "SETUP":
                found = re.search(r"client_port=(\d+)-(\d+)", headers.get("transport", ""))
                if not found:
                    connection.sendall(f"RTSP/1.0 461 Unsupported Transport\r\nCSeq: {headers['cseq']}\r\n\r\n".encode())
                    continue
                port = int(found[1])
                more = f"Transport: RTP/AVP;unicast;client_port={found[1]}-{found[2]};server_port=5000-5001\r\nSession: 1\r\n"
            elif request[0] == "PLAY":
                more = "Session: 1\r\n"
                sender = subprocess.Popen(
                    ["ffmpeg", "-v", "error", "-nostdin", "-re", "-stream_loop", "-1", "-i", clip, "-an", "-c:v", "copy",
                     "-bsf:v", "h264_mp4toannexb,dump_extra", "-payload_type", "96", "-f", "rtp",
                     f"rtp://127.0.0.1:{port}?pkt_size=1200"], stdout=subprocess.DEVNULL,
                    # It ends with this program, however that is ended (PR_SET_PDEATHSIG).
                    preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL))
            if body:
                more += f"Content-Length: {len(body)}\r\n"
            connection.sendall(f"RTSP/1.0 200 OK\r\nCSeq: {headers.get('cseq', '0')}\r\n{more}\r\n{body}".encode())
            if request[0] == "TEARDOWN":
                return
    finally:
        if sender:
            sender.kill()
            sender.wait()
        connection.close()


def main():
    listener = socket.create_server(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 0))
    print(f"rtsp://127.0.0.1:{listener.getsockname()[1]}/clip", flush=True)
    while True:
        serve(listener.accept()[0], sys.argv[1])


main()
