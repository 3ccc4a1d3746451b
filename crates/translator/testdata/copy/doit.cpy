      * A member with a command
           EXEC CICS LINK
                PROGRAM(:prog:)
           END-EXEC.
