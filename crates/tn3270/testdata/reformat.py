#!/usr/bin/env python3
"""Reformats recordings of s3270 4.1ga10 against a small Python server into scenarios.txt.

usage: reformat.py vectors.txt vectors2.txt vectors3.txt > scenarios.txt

Each line of a recording is `S hex | meaning`, `C hex | meaning`, `- event` or `= action -> answer`.
The actions of the client are not in order with its bytes, so KEYS gives them: an entry for each
record that a key sent, in order; None for an answer that no key caused.
"""
import re,sys
TEXT='text ab1'
BASIC=[f'{TEXT}; enter','pf 3','pf 24','pa 1','move 6 9; text 12; enter','clear']
READS=['text xy; enter',None,None,None,'enter',None,None,None,'enter']
ALT=['move 40 79; enter','enter','enter']
ONE=['enter']
KEYS={'A':BASIC,'B':BASIC,'C':[],'D':READS,'E':ALT,'F':['move 26 79; enter']+ALT[1:],'G':['enter','enter'],
 'H':[None,None,'sysreq','attn'],'I':BASIC,'J':READS,
 'K':['enter']+[None]*7+['enter','enter'],'M':ONE,'N':[],'O':ONE,'P':['enter','enter'],'Q':ONE}
MODEL={'E':'4','F':'5','J':'dynamic 100 50'}
LUS={'N':'TERM01','O':'TERM01 TERM02'}
for path in sys.argv[1:]:
    block=None
    for line in open(path):
        line=line.rstrip('\n')
        m=re.match(r'### (\w): (.*?)(  \(device.*)?$',line)
        if m:
            block=m[1];keys=list(KEYS[block]);print(f'\n### {block} {m[2]}');print('model',MODEL.get(block,'2'))
            if block in LUS: print('lu',LUS[block])
            continue
        if line.startswith('- TLS'): print('TLS')
        if not re.match(r'[SC] [0-9a-f(]',line): continue
        way,rest=line[0],line[2:]; hexa=rest.split(' | ')[0]; meaning=rest.split(' | ')[1]
        if hexa.startswith('('):
            hexa=screen+'ffef' # the pieces of 7 bytes were the first screen
        if 'f5c3' in hexa and way=='S': screen=hexa[hexa.index('f5c3'):-4]
        is_record=hexa.endswith('ffef') or hexa in('fff4','fff5')
        if way=='C' and is_record:
            key=keys.pop(0)
            if key: print('key',key)
        if way=='C' and '88000e8180' in hexa: way='Q'
        if block=='K' and hexa=='020000000300ffef':
            print('# s3270 4.1 answers 020000000300: it takes a cut-off SFE; later versions and this crate reject it');hexa='020001000302ffef'
        print(way,hexa,'#',meaning)
