identification division.
program-id. outer.
data division.
linkage section.
01 p1 pic x.
procedure division using p1.
declaratives.
d1 section.
    use after standard error procedure on input.
d1-p.
    continue.
end declaratives.
main section.
    copy doit replacing ==:prog:== by =='INNER'==.
    goback.
identification division.
program-id. inner.
data division.
linkage section.
01 x pic x.
procedure division using x.
    exec cics asktime end-exec
    goback.
end program inner.
end program outer.
identification division.
program-id. plain.
data division.
working-storage section.
01 n pic 9(4).
procedure division.
    move 1 to n
    goback.
